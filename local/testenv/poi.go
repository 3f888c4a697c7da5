//go:build unix

package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// poiProject is what Maven is asked for. POI's own project pins what that needs.
//
//go:embed poi/pom.xml
var poiProject []byte

// poi is Apache POI with all OOXML schemas, run by the JDK, which also compiles
// what uses it. The jars come from where the user's Maven takes them.
func poi() service {
	return service{
		name:     "poi",
		variable: "HAEXCEL_TEST_POI_CLASSPATH",
		packages: []string{"default-jdk-headless", "maven"},
		missing: func() string {
			if poiJars().installed() {
				return lackOfPrograms("java", "javac")
			}
			return lackOfPrograms("java", "javac", "mvn")
		},
		start: func(ctx context.Context, env *environment) (string, error) {
			folder, err := poiJars().install(ctx, env)
			if err != nil {
				return "", err
			}
			return classPath(folder)
		},
	}
}

func poiJars() cached {
	return cached{
		title:   "Apache POI",
		name:    "poi-5.5.1",
		content: poiProject,
		takes:   "up to a minute",
		fill: func(ctx context.Context, env *environment, folder string) error {
			if err := os.Mkdir(folder, 0o755); err != nil {
				return err
			}
			project := filepath.Join(folder, "pom.xml")
			if err := os.WriteFile(project, poiProject, 0o644); err != nil {
				return err
			}
			cmd := exec.Command("mvn", "--batch-mode", "--quiet", "--file", project,
				"dependency:copy-dependencies", "-DoutputDirectory="+folder)
			cmd.Dir = folder // not below a folder whose .mvn would count
			return env.run(ctx, cmd, "poi-install.log")
		},
	}
}

// classPath lists the jars in a folder as `java -cp` takes them.
func classPath(folder string) (string, error) {
	jars, err := filepath.Glob(filepath.Join(folder, "*.jar"))
	if err != nil {
		return "", err
	}
	if len(jars) == 0 {
		return "", fmt.Errorf("there is no jar in %s: remove it, then it is installed again", folder)
	}
	return strings.Join(jars, string(filepath.ListSeparator)), nil
}

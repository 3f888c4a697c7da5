//go:build unix

package main

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// What npm installs. The lock file pins each package by its checksum and names no
// place to fetch it from: the user's npm knows one.
var (
	//go:embed exceljs/package.json
	exceljsPackage []byte
	//go:embed exceljs/package-lock.json
	exceljsLock []byte
)

// exceljs is a folder in whose node_modules that library for Node.js stands.
func exceljs() service {
	return service{
		name:     "exceljs",
		variable: "HAEXCEL_TEST_EXCELJS",
		packages: []string{"nodejs", "npm"},
		missing: func() string {
			if exceljsModules().installed() {
				return lackOfPrograms("node")
			}
			return lackOfPrograms("node", "npm")
		},
		start: exceljsModules().install,
	}
}

func exceljsModules() cached {
	return cached{
		title:   "exceljs",
		name:    "exceljs-4.4.0",
		content: slices.Concat(exceljsPackage, exceljsLock),
		takes:   "some seconds",
		fill: func(ctx context.Context, env *environment, folder string) error {
			if err := os.Mkdir(folder, 0o755); err != nil {
				return err
			}
			for name, content := range map[string][]byte{"package.json": exceljsPackage, "package-lock.json": exceljsLock} {
				if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
					return err
				}
			}
			cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
			cmd.Dir = folder
			return env.run(ctx, cmd, "exceljs-install.log")
		},
	}
}

package main

import (
	"flag"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/haexcel/haexcel/shared/config"
)

// help lists the commands and every setting.
func (p program) help(to io.Writer) {
	fmt.Fprint(to, "haexcel exports large database results to Excel.\n\nUsage: haexcel <command> [flags]\n\nCommands:\n")
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, c := range p.commands() {
		fmt.Fprintf(table, "  %s\t%s\n", c.name, c.summary)
	}
	_ = table.Flush()

	fmt.Fprint(to, "\nSettings are environment variables; without any, a SQLite file and a folder below "+dataFolder+" are used:\n")
	table = tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, s := range config.Settings() {
		def := ""
		if s.Default != "" {
			def = " (" + s.Default + ")"
		}
		fmt.Fprintf(table, "  %s\t%s%s\n", s.Name, s.Help, def)
	}
	fmt.Fprintf(table, "  %s\tnumber of demo orders, where no flag says it\n", demoRowsVariable)
	_ = table.Flush()
}

// commandHelp describes one command's flags.
func (p program) commandHelp(set *flag.FlagSet) {
	flags := 0
	set.VisitAll(func(*flag.Flag) { flags++ })
	usage := "Usage: haexcel " + set.Name()
	if flags > 0 {
		usage += " [flags]"
	}
	fmt.Fprintln(p.stdout, usage)
	for _, c := range p.commands() {
		if c.name == set.Name() {
			fmt.Fprintf(p.stdout, "\nTo %s. Settings are environment variables: haexcel --help lists them.\n", c.summary)
		}
	}
	if flags == 0 {
		return
	}
	fmt.Fprint(p.stdout, "\nFlags:\n")
	set.SetOutput(p.stdout)
	set.PrintDefaults()
}

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/haexcel/haexcel/shared/config"
)

// dataFolder holds what local runs leave behind: the SQLite file and the files
// of finished exports. It is made in the folder where the program runs.
const dataFolder = ".haexcel"

// loadSettings reads the settings and fills in what lets the program run
// without any: a SQLite file and a folder. ownDatabase reports that the
// database is this one.
func loadSettings(environment []string) (c config.Config, ownDatabase bool, err error) {
	if c, err = config.Load(environment); err != nil {
		return config.Config{}, false, err
	}
	ownFiles := c.StorageType == config.StorageLocal && c.LocalStoragePath == ""
	if ownFiles {
		c.LocalStoragePath = filepath.Join(dataFolder, "files")
	}
	if c.DatabaseURL == "" {
		c.DatabaseURL = "sqlite:" + filepath.Join(dataFolder, "haexcel.db")
		ownDatabase = true
	}
	if ownFiles || ownDatabase {
		err = makeDataFolder()
	}
	return c, ownDatabase, err
}

// makeDataFolder makes the folder with a .gitignore in it: nothing of it belongs
// into anyone's repository.
func makeDataFolder() error {
	if err := os.MkdirAll(dataFolder, 0o750); err != nil {
		return fmt.Errorf("make the folder for local data: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dataFolder, ".gitignore"), []byte("*\n"), 0o600); err != nil {
		return fmt.Errorf("make the folder for local data: %w", err)
	}
	return nil
}

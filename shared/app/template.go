package app

import (
	"regexp"

	"github.com/haexcel/haexcel/shared/fault"
)

// Template answers for templates. This version has none, so every well-formed
// name is absent.
type Template struct{}

var templateName = regexp.MustCompile(`^[\w-]+$`)

// Do answers fault.Invalid for a name that is not [\w-]+, else fault.NotFound.
func (u *Template) Do(id string) error {
	if !templateName.MatchString(id) {
		return invalidFields(map[string]string{"templateId": "must have letters, digits, _ and - only"})
	}
	return fault.New(fault.NotFound, "There is no such template.")
}

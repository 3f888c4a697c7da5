package dataset

import "encoding/json"

// ParamType is the type of a parameter.
type ParamType string

// The parameter types.
const (
	StringParam   ParamType = "string"
	IntegerParam  ParamType = "integer"
	DecimalParam  ParamType = "decimal"
	BooleanParam  ParamType = "boolean"
	DateParam     ParamType = "date"
	DateTimeParam ParamType = "datetime"
)

// Param declares one parameter of a dataset.
type Param struct {
	Name     string    `json:"name"`
	Type     ParamType `json:"type"`
	List     bool      `json:"list,omitempty"` // declared as [type]
	Required bool      `json:"required,omitempty"`
	Enum     []string  `json:"enum,omitempty"`
	Default  *Value    `json:"default,omitempty"`
}

// Value is one normalised parameter value. Its texts are canonical, so that
// equal values have equal texts: integers without leading zeros, decimals
// without trailing zeros, booleans true and false, dates 2006-01-02, date-times
// 2006-01-02T15:04:05[.fraction].
type Value struct {
	Type  ParamType
	List  bool
	Items []string // exactly one unless List
}

// Values are normalised parameters by name; absent, null and empty ones are left
// out.
type Values map[string]Value

// RawParams is the request's params object as it came, numbers unread.
type RawParams map[string]json.RawMessage

package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func value(t *testing.T, kind string, w *httptest.ResponseRecorder) any {
	if strings.HasSuffix(kind, "json") && kind != linesTypes[0] {
		return asJSON[any](t, w)
	}
	return w.Body.String()
}

// check validates a value against a schema. It supports the keywords of JSON Schema that
// schemas.json uses and refuses others.
func (d openAPI) check(schema map[string]any, value any) error {
	if value == nil { // only the type matters then
		schema = only(schema, "type", "$ref", "const", "enum")
	}
	for word, rule := range schema {
		switch word {
		case "$ref":
			node := any(d.raw)
			for _, name := range strings.Split(strings.TrimPrefix(rule.(string), "#/"), "/") {
				node = node.(map[string]any)[name]
			}
			target, ok := node.(map[string]any)
			if !ok {
				return fmt.Errorf("%v leads nowhere", rule)
			}
			if err := d.check(target, value); err != nil {
				return err
			}
		case "type":
			names, several := rule.([]any)
			if !several {
				names = []any{rule}
			}
			if !slices.ContainsFunc(names, func(n any) bool { return isType(n.(string), value) }) {
				return fmt.Errorf("%v is no %v", value, rule)
			}
		case "const":
			if value != rule {
				return fmt.Errorf("%v is not %v", value, rule)
			}
		case "enum":
			if !slices.Contains(rule.([]any), value) {
				return fmt.Errorf("%v is none of %v", value, rule)
			}
		case "minimum":
			if n, ok := value.(float64); ok && n < rule.(float64) {
				return fmt.Errorf("%v is below %v", value, rule)
			}
		case "required":
			for _, name := range rule.([]any) {
				if _, ok := value.(map[string]any)[name.(string)]; !ok {
					return fmt.Errorf("%v is missing", name)
				}
			}
		case "properties":
			for name, member := range value.(map[string]any) {
				property, ok := rule.(map[string]any)[name]
				if !ok && len(rule.(map[string]any)) > 1 { // the schema of the OpenAPI document itself has a single property
					return fmt.Errorf("%v is not described", name)
				}
				if !ok {
					continue
				}
				if err := d.check(property.(map[string]any), member); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		case "items":
			for i, item := range value.([]any) {
				if err := d.check(rule.(map[string]any), item); err != nil {
					return fmt.Errorf("%d: %w", i, err)
				}
			}
		case "x-line":
			for line := range strings.Lines(value.(string)) {
				var v any
				err := json.Unmarshal([]byte(line), &v)
				if err == nil {
					err = d.check(rule.(map[string]any), v)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", line, err)
				}
			}
		case "oneOf":
			fits := 0
			var why error
			for _, one := range rule.([]any) {
				if err := d.check(one.(map[string]any), value); err == nil {
					fits++
				} else {
					why = err
				}
			}
			if fits != 1 {
				return fmt.Errorf("%d schemas fit: %w", fits, why)
			}
		case "maxItems", "description", "examples", "format", "maxLength", "contentMediaType":
		default:
			return fmt.Errorf("this test does not know the word %q", word)
		}
	}
	return nil
}

// only returns the given keywords of a schema.
func only(schema map[string]any, words ...string) map[string]any {
	out := map[string]any{}
	for _, w := range words {
		if rule, ok := schema[w]; ok {
			out[w] = rule
		}
	}
	return out
}

func isType(name string, value any) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case []any:
		return name == "array"
	}
	return name == "object"
}

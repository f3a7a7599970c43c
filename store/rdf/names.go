package rdf

// Namespaces of RDF and XML Schema.
const (
	RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	XSD = "http://www.w3.org/2001/XMLSchema#"
)

// Names of RDF 1.2.
const (
	RDFType          = RDF + "type"
	RDFFirst         = RDF + "first"
	RDFRest          = RDF + "rest"
	RDFNil           = RDF + "nil"
	RDFLangString    = RDF + "langString"
	RDFDirLangString = RDF + "dirLangString"
	RDFReifies       = RDF + "reifies"
)

// Datatypes of XML Schema that RDF 1.1 Concepts, section 5.1, lists.
const (
	XSDString  = XSD + "string"
	XSDBoolean = XSD + "boolean"
	XSDDecimal = XSD + "decimal"
	XSDInteger = XSD + "integer"
	XSDDouble  = XSD + "double"
	XSDFloat   = XSD + "float"

	XSDLong               = XSD + "long"
	XSDInt                = XSD + "int"
	XSDShort              = XSD + "short"
	XSDByte               = XSD + "byte"
	XSDNonNegativeInteger = XSD + "nonNegativeInteger"
	XSDPositiveInteger    = XSD + "positiveInteger"
	XSDNonPositiveInteger = XSD + "nonPositiveInteger"
	XSDNegativeInteger    = XSD + "negativeInteger"
	XSDUnsignedLong       = XSD + "unsignedLong"
	XSDUnsignedInt        = XSD + "unsignedInt"
	XSDUnsignedShort      = XSD + "unsignedShort"
	XSDUnsignedByte       = XSD + "unsignedByte"

	XSDDateTime      = XSD + "dateTime"
	XSDDateTimeStamp = XSD + "dateTimeStamp"
	XSDDate          = XSD + "date"
	XSDTime          = XSD + "time"
	XSDGYear         = XSD + "gYear"
	XSDGYearMonth    = XSD + "gYearMonth"
	XSDGMonth        = XSD + "gMonth"
	XSDGMonthDay     = XSD + "gMonthDay"
	XSDGDay          = XSD + "gDay"

	XSDDuration          = XSD + "duration"
	XSDYearMonthDuration = XSD + "yearMonthDuration"
	XSDDayTimeDuration   = XSD + "dayTimeDuration"

	XSDHexBinary        = XSD + "hexBinary"
	XSDBase64Binary     = XSD + "base64Binary"
	XSDAnyURI           = XSD + "anyURI"
	XSDNormalizedString = XSD + "normalizedString"
	XSDToken            = XSD + "token"
	XSDLanguage         = XSD + "language"
	XSDName             = XSD + "Name"
	XSDNCName           = XSD + "NCName"
	XSDNMToken          = XSD + "NMTOKEN"
)

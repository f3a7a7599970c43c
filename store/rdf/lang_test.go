package rdf

import "testing"

// Well-formed tags: the examples of RFC 5646, appendix A, and edge cases of its grammar.
func TestValidLanguageAcceptsTheExamplesOfRFC5646(t *testing.T) {
	for _, tag := range []string{
		"de", "fr", "ja", "i-enochian", "zh-Hant", "zh-Hans", "sr-Cyrl", "sr-Latn",
		"zh-cmn-Hans-CN", "cmn-Hans-CN", "zh-yue-HK", "yue-HK", "zh-Hans-CN", "sr-Latn-RS",
		"sl-rozaj", "sl-rozaj-biske", "sl-nedis", "de-CH-1901", "sl-IT-nedis",
		"hy-Latn-IT-arevela", "de-DE", "en-US", "es-419", "de-CH-x-phonebk",
		"az-Arab-x-AZE-derbend", "x-whatever", "qaa-Qaaa-QM-x-southern", "de-Qaaa",
		"sr-Latn-QM", "sr-Qaaa-RS", "en-US-u-islamcal", "zh-CN-a-myext-x-private",
		"en-a-myext-b-another",
		"EN", "en-UK", "abcd", "abcdefgh", "zh-min-nan-cdo", "sgn-BE-FR", "EN-gb-OED",
		"x-a-b-c", "X-y", "en-1abc", "en-0-12",
	} {
		if !ValidLanguage(tag) {
			t.Errorf("ValidLanguage(%q) = false", tag)
		}
	}
}

func TestValidLanguageRefusesTheRest(t *testing.T) {
	for _, tag := range []string{
		"", "a", "1", "de-", "-de", "de--CH", "abcdefghi", "de-419-DE", "a-DE", "d1",
		"ar-a-aaa-b", "en-a", "en-a-b", "en-x", "x", "x-", "x-123456789", "de_CH", "dé",
		"zh-min-nan-cdo-abc", "abcd-efg", "en-abc1", "en-Latn-Cyrl", "en-US-GB",
		"en-u-123456789", "en-x-a-", "en\n", "en-a-bb-", "i-unknown",
	} {
		if ValidLanguage(tag) {
			t.Errorf("ValidLanguage(%q) = true", tag)
		}
	}
}

func TestWithLexicalKeepsDatatypeAndLanguage(t *testing.T) {
	for _, tt := range [][2]Term{
		{NewString("a"), NewString("b")},
		{NewLang("a", "en-GB"), NewLang("b", "en-GB")},
		{NewLiteral("1", XSDInteger), NewLiteral("b", XSDInteger)},
	} {
		if got := tt[0].WithLexical("b"); got != tt[1] {
			t.Errorf("WithLexical gives %v, want %v", got, tt[1])
		}
	}
}

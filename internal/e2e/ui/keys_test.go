package ui

import "testing"

func TestAKeyIsAddedAndRemovedOnAPage(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := open(t, s.ui, look{phone: true, dark: true})
	b.signIn(s, "admin")
	b.goTo("/keys")
	b.fill("#key-user", "tiago")
	b.fill("#key-text", "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----") // of RFC 8032, section 7.1
	b.click("button[value=add]")
	b.see("tbody td", "tiago")
	b.accessible()
	b.click("button[value=remove]")
	b.see("tbody", "removed")
}

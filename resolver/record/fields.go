package record

// The fields of the records of record.go, in stored order; others are beside their types.

func (x *Context) readOrWrite(c *coder) {
	c.uint(&x.Number)
	c.string(&x.URI)
	c.string(&x.Kind)
	c.uint(&x.Into)
	c.int(&x.Created)
	c.int(&x.At)
	c.uint(&x.Count)
	list(c, &x.Origins, c.uint)
	list(c, &x.Members, func(m *Member) { m.readOrWrite(c) })
	list(c, &x.Separations, func(a *Separation) { c.uint(&a.Own); c.uint(&a.Other) })
	list(c, &x.Doubts, func(d *Doubt) { c.uint(&d.Own); c.uint(&d.Case) })
	c.uint(&x.LateOf)
}

func (m *Member) readOrWrite(c *coder) {
	c.uint(&m.Origin)
	c.int(&m.At)
	c.bool(&m.Coarse)
	c.string(&m.Subject)
	c.bool(&m.Generic)
	c.string(&m.Modality)
	c.string(&m.Text)
	c.string(&m.Robot)
	c.string(&m.Location)
	c.near(&m.Received, m.At)
	c.bool(&m.Late)
}

func (o *Observation) readOrWrite(c *coder) {
	c.uint(&o.Number)
	c.uint(&o.Context)
	c.int(&o.Received)
	c.int(&o.At)
	c.int(&o.Corrected)
	for _, s := range []*string{&o.Kind, &o.ObservedAt, &o.Subject, &o.Modality, &o.Text, &o.URI, &o.Robot} {
		c.string(s)
	}
	c.fixed(o.Key[:])
	c.string(&o.Location)
	c.bool(&o.Reused)
	c.uint(&o.Decision)
	c.fixed(o.Salt[:])
	c.string(&o.Alias)
}

func (a *Alias) readOrWrite(c *coder) {
	c.string(&a.URI)
	for _, n := range []*uint64{&a.Context, &a.Observation, &a.Decision} {
		c.uint(n)
	}
}

func (r *Repeat) readOrWrite(c *coder) {
	c.uint(&r.Context)
	c.uint(&r.Case)
	c.fixed(r.Content[:])
}

func (r *Reuse) readOrWrite(c *coder) {
	c.string(&r.Robot)
	c.int(&r.Count)
}

func (k *Case) readOrWrite(c *coder) {
	c.uint(&k.Number)
	c.uint(&k.Source)
	c.below((*byte)(&k.Status), byte(len(caseStatusNames)))
	c.string(&k.Reason)
	c.float(&k.Any)
	c.int(&k.Opened)
	c.int(&k.Decided)
	c.string(&k.DecidedBy)
	c.uint(&k.Selected)
	c.uint(&k.Decision)
	list(c, &k.Targets, func(t *Target) {
		c.uint(&t.Context)
		for _, f := range []*float64{&t.Probability, &t.LogOdds, &t.Shares.Time, &t.Shares.Text, &t.Shares.Subject, &t.Shares.Modality} {
			c.float(f)
		}
		list(c, &t.Parts, func(p *Part) { c.string(&p.Feature); c.float(&p.Weight); c.string(&p.Value) })
		c.float(&t.Gap)
		c.float(&t.Claimed)
		c.float(&t.Likeness)
		for _, g := range []*bool{&t.Gates.Subject, &t.Gates.Modality, &t.Gates.Text, &t.Gates.Time, &t.Gates.Place, &t.Gates.Robot} {
			c.bool(g)
		}
		if c.reading { // true for every target
			t.Gates.EventKind, t.Gates.Rival = true, true
		}
	})
	c.int(&k.Weighed.At)
	c.float(&k.Weighed.MaxGap)
	c.float(&k.Weighed.MinText)
	c.float(&k.Weighed.Probability)
}

func (d *Decision) readOrWrite(c *coder) {
	c.uint(&d.Number)
	c.below((*byte)(&d.Kind), byte(Undoing)+1)
	c.int(&d.At)
	c.string(&d.Plan)
	c.string(&d.By)
	c.string(&d.Robot)
	for _, n := range []*uint64{&d.Observation, &d.Source, &d.Target, &d.Case, &d.Undone} {
		c.uint(n)
	}
	c.float(&d.LogOdds)
	c.float(&d.Probability)
	list(c, &d.Closed, c.uint)
	list(c, &d.Joined, func(a *Separation) { c.uint(&a.Own); c.uint(&a.Other) })
}

func (k *Clock) readOrWrite(c *coder) {
	c.string(&k.Robot)
	c.float(&k.Offset)
	c.int(&k.Anchors)
	c.float(&k.Lead)
	c.float(&k.Letters)
	c.float(&k.Shortest)
	c.float(&k.Gain)
	c.uint(&k.Kind)
	last := int64(0)
	list(c, &k.Lags, func(n *int64) { c.near(n, last); last = *n })
	c.int(&k.Lag)
	c.bool(&k.Timed)
	list(c, &k.Odd, c.int)
	list(c, &k.Steps, func(s *Step) { c.int(&s.From); c.float(&s.By); c.below((*byte)(&s.Shown), byte(ByPerson)+1) })
	c.uint(&k.Segment)
	list(c, &k.Claims, func(x *Claim) { x.readOrWrite(c) })
	list(c, &k.Friends, c.fingerprint)
	c.byte(&k.Disputes)
	c.int(&k.Earlier)
	c.int(&k.Later)
	c.string(&k.DecidedBy)
	c.int(&k.DecidedAt)
	c.bool(&k.Revoked)
	c.int(&k.Confirmed)
	c.float(&k.Moved)
	c.int(&k.Heard)
}

func (x *Claim) readOrWrite(c *coder) {
	c.string(&x.Partner)
	c.uint(&x.Own)
	c.uint(&x.Theirs)
	c.int(&x.Since)
	list(c, &x.Recent, c.int)
	c.int(&x.About)
	c.int(&x.Sentences)
	list(c, &x.Subjects, c.fingerprint)
	list(c, &x.Texts, c.fingerprint)
	c.int(&x.Reversed)
	c.int(&x.Against)
	c.int(&x.Arrived)
}

func (k *Kind) readOrWrite(c *coder) {
	c.string(&k.Name)
	c.int(&k.Made)
	c.int(&k.Contexts)
	c.int(&k.Subjects)
	c.int(&k.Places)
	list(c, &k.Open, c.int)
}

func (f *Frequency) readOrWrite(c *coder) {
	c.int(&f.Epoch)
	c.int(&f.Count)
}

func (s *Scale) readOrWrite(c *coder) {
	c.small(&s.Next)
	c.int(&s.Anchors)
	list(c, &s.Residuals, c.float)
}

func (r *Reviews) readOrWrite(c *coder) {
	c.small(&r.Next)
	c.int(&r.Total)
	list(c, &r.Verdicts, func(v *Verdict) { c.float(&v.Any); c.bool(&v.Accepted) })
}

func (s *Series) readOrWrite(c *coder) {
	c.fixed(s.Bits[:])
	for _, n := range []*uint64{&s.Observations, &s.Cases, &s.Decisions} {
		c.uint(n)
	}
}

func (t *Totals) readOrWrite(c *coder) {
	for _, n := range []*uint64{&t.Contexts, &t.Observations, &t.Cases, &t.Decisions, &t.Cleared} {
		c.uint(n)
	}
	for _, n := range []*int64{&t.Active, &t.Ambiguous, &t.Merged, &t.Stored, &t.Duplicates, &t.Pending, &t.Accepted, &t.Rejected,
		&t.Superseded, &t.AutoMerges, &t.ManualMerges, &t.Created, &t.Matched, &t.Doubted} {
		c.int(n)
	}
	c.int(&t.Reused)
	c.int(&t.Reusers)
	c.uint(&t.Unpublished)
	c.int(&t.Unmatched)
	c.int(&t.Aliases)
	c.fixed(t.Names[:])
	c.fixed(t.Secret[:])
}

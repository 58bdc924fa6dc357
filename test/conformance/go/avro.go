package main

import "fmt"

// avro reads the binary form of Avro. The first fault stays; what is read after it is empty.
type avro struct {
	data []byte
	err  error
}

func (a *avro) fail() {
	a.data = nil
	if a.err == nil {
		a.err = fmt.Errorf("the value of a decision is malformed")
	}
}

func (a *avro) long() int64 {
	var bits uint64
	for shift := 0; shift < 64; shift += 7 {
		if len(a.data) == 0 {
			break
		}
		next := a.data[0]
		a.data = a.data[1:]
		bits |= uint64(next&0x7f) << shift
		if next < 0x80 {
			return int64(bits>>1) ^ -int64(bits&1)
		}
	}
	a.fail()
	return 0
}

// count is a number that is not negative.
func (a *avro) count() uint64 {
	value := a.long()
	if value < 0 || value > countMax {
		a.fail()
		return 0
	}
	return uint64(value)
}

func (a *avro) text() string {
	length := a.count()
	if length > uint64(len(a.data)) {
		a.fail()
		return ""
	}
	found := string(a.data[:length])
	a.data = a.data[length:]
	return found
}

// optional reads a union of null and another type.
func (a *avro) optional(other func()) {
	switch a.long() {
	case 0:
	case 1:
		other()
	default:
		a.fail()
	}
}

func (a *avro) array(item func()) {
	for count := a.long(); count != 0 && a.err == nil; count = a.long() {
		if count < 0 {
			count = -count
			a.long()
		}
		for ; count > 0 && a.err == nil; count-- {
			item()
		}
	}
}

// decodeDecision reads a damage_accepted by the schema whose hash is decisionSchema: the fields are in the order of docs/reference/proofs.md.
func decodeDecision(data []byte) (*decision, error) {
	from := &avro{data: data}
	text := func() { from.text() }
	found := &decision{id: from.text()}
	from.text() // tenant_id
	from.optional(text)
	from.long() // attempt
	from.optional(text)
	from.text() // correlation_id
	from.long() // hlc
	from.long() // partition
	from.optional(text)
	from.array(text) // damage_ids
	from.text()      // reason
	from.long()      // by.kind
	from.text()      // by.id
	from.array(text) // by.roles
	from.long()      // accepted_at_ms
	from.array(func() {
		found.opened = append(found.opened, terms{from.text(), from.count(), from.count(), from.count(), from.count(), from.text()})
	})
	if from.err == nil && len(from.data) > 0 {
		from.fail()
	}
	return found, from.err
}

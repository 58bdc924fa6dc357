package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"sort"
)

// record is a record of the log, as /v1/audit/proof shows it.
type record struct {
	Topic       string            `json:"topic"`
	Partition   uint32            `json:"partition"`
	Offset      uint64            `json:"offset"`
	TimestampMs uint64            `json:"timestamp_ms"`
	Key         *string           `json:"key"`
	Headers     map[string]string `json:"headers"`
	Value       string            `json:"value"`
}

func text(to []byte, data []byte) []byte {
	return append(binary.BigEndian.AppendUint32(to, uint32(len(data))), data...)
}

func recordLeaf(r record) ([]byte, error) {
	value, err := fromBase64(r.Value)
	if err != nil {
		return nil, err
	}
	leaf := text([]byte("countersign/record/v1\n"), []byte(r.Topic))
	leaf = binary.BigEndian.AppendUint32(leaf, r.Partition)
	leaf = binary.BigEndian.AppendUint64(leaf, r.Offset)
	leaf = binary.BigEndian.AppendUint64(leaf, r.TimestampMs)
	if r.Key == nil {
		leaf = binary.BigEndian.AppendUint32(leaf, 0)
	} else {
		leaf = text(binary.BigEndian.AppendUint32(leaf, 1), []byte(*r.Key))
	}
	names := make([]string, 0, len(r.Headers))
	for name := range r.Headers {
		names = append(names, name)
	}
	sort.Strings(names)
	leaf = binary.BigEndian.AppendUint32(leaf, uint32(len(names)))
	for _, name := range names {
		leaf = text(text(leaf, []byte(name)), []byte(r.Headers[name]))
	}
	return text(leaf, value), nil
}

func headLeaf(h head) []byte {
	root := base64.StdEncoding.EncodeToString(h.root)
	if h.generation == nil {
		return fmt.Appendf(nil, "countersign/tree/v1\n%s\n%d\n%d\n%s\n", h.topic, h.partition, h.size, root)
	}
	g := h.generation
	return fmt.Appendf(nil, "countersign/tree/v2\n%s\n%d\n%d\n%d\n%s\n%d\n%s\n", h.topic, h.partition, g.Number, g.BaseOffset, g.Decision, h.size, root)
}

// cut is the place of an entry in the order of the log; absent in entries of earlier releases.
type cut struct {
	Number uint64 `json:"number"`
	State  string `json:"state"`
}

// follows tells whether an entry with one cut may come after an entry with another.
func (c *cut) follows(before *cut) bool {
	if c == nil {
		return before == nil
	}
	if c.State != "closed" && c.State != "open" {
		return false
	}
	wanted := uint64(1)
	if before != nil {
		wanted = before.Number
		if before.State == "closed" {
			wanted++
		}
	}
	return c.Number == wanted
}

func entryLeaf(number, timeMs, trees uint64, headsRoot []byte, at *cut) []byte {
	root := base64.StdEncoding.EncodeToString(headsRoot)
	if at == nil {
		return fmt.Appendf(nil, "countersign/checkpoint/v1\n%d\n%d\n%d\n%s\n", number, timeMs, trees, root)
	}
	return fmt.Appendf(nil, "countersign/checkpoint/v2\n%d\n%d\n%d\n%d\n%s\n%s\n", number, timeMs, trees, at.Number, at.State, root)
}

// fromBase64 reads a text that is the one way to write its bytes.
func fromBase64(text string) ([]byte, error) {
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(data) != text {
		return nil, fmt.Errorf("%.60s is not the base64 text of any bytes", text)
	}
	return data, nil
}

func hashOf(text string) ([]byte, error) {
	hash, err := fromBase64(text)
	if err == nil && len(hash) != sha256.Size {
		err = fmt.Errorf("a hash has %d bytes", len(hash))
	}
	return hash, err
}

func hashesOf(texts []string) ([][]byte, error) {
	found := make([][]byte, len(texts))
	for i, text := range texts {
		hash, err := hashOf(text)
		if err != nil {
			return nil, err
		}
		found[i] = hash
	}
	return found, nil
}

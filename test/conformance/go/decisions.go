package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// The partition with the records of decisions.
const settingsTopic, settingsPartition = "configuration-changed", 0

// decisionSchema is the SHA-256 of the schema of damage_accepted: bytes that are read by another one may say anything.
const decisionSchema = "9f25b0f5956a8145300184c0cc5d1cb20a1ee07f9080630c14d11d40907eadc8"

// shownDecision is a record of the settings with its path in their tree, as an entry shows it.
type shownDecision struct {
	Offset      uint64            `json:"offset"`
	TimestampMs uint64            `json:"timestamp_ms"`
	Key         *string           `json:"key"`
	Headers     map[string]string `json:"headers"`
	Value       string            `json:"value"`
	Schema      string            `json:"schema"`
	Path        []string          `json:"path"`
}

// terms say which tree a decision allows to be opened, and in the place of which it goes on.
type terms struct {
	topic                 string
	partition, generation uint64
	baseOffset            uint64
	frozenSize            uint64
	frozenRoot            string
}

// decision is what a damage_accepted says.
type decision struct {
	id     string
	opened []terms
}

// provenDecision reads a decision that is a record of the settings, covered by this entry and by none before.
func provenDecision(shown shownDecision, before, now heads) (*decision, error) {
	leaf, err := recordLeaf(record{settingsTopic, settingsPartition, shown.Offset, shown.TimestampMs, shown.Key, shown.Headers, shown.Value})
	if err != nil {
		return nil, err
	}
	grows, there := now.newest(settingsTopic, settingsPartition)
	if !there {
		return nil, fmt.Errorf("a decision is shown, and there are no settings")
	}
	first := grows.base()
	if old, known := before.newest(settingsTopic, settingsPartition); known && old.number() == grows.number() {
		first += old.size
	}
	if shown.Offset < first {
		return nil, fmt.Errorf("a decision was covered by an earlier entry")
	}
	path, err := hashesOf(shown.Path)
	if err != nil {
		return nil, err
	}
	hash := rfc6962.DefaultHasher.HashLeaf(leaf)
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, shown.Offset-grows.base(), grows.size, hash, path, grows.root); err != nil {
		return nil, fmt.Errorf("a decision does not stand on the record: %w", err)
	}
	return readDecision(shown)
}

func readDecision(shown shownDecision) (*decision, error) {
	if digest := sha256.Sum256([]byte(shown.Schema)); hex.EncodeToString(digest[:]) != decisionSchema {
		return nil, fmt.Errorf("a decision has a schema that is not that of damage_accepted")
	}
	value, err := fromBase64(shown.Value)
	if err != nil {
		return nil, err
	}
	if len(value) < 5 || value[0] != 0 {
		return nil, fmt.Errorf("a decision is not in the Confluent wire format")
	}
	return decodeDecision(value[5:])
}

// checkOpened compares a new generation with the decision that it names, and with the tree that it freezes. Answers the line of the report.
func checkOpened(opened head, before heads, moved map[string]bool, decisions []*decision) (string, error) {
	name := opened.name()
	frozen, known := before.newest(opened.topic, opened.partition)
	if !known || frozen.number() != opened.number()-1 {
		return "", fmt.Errorf("%s does not follow the newest tree of its partition", name)
	}
	if moved[frozen.name()] {
		return "", fmt.Errorf("%s moves and is frozen at the same time", frozen.name())
	}
	of := opened.generation
	for _, each := range decisions {
		if each.id != of.Decision {
			continue
		}
		wanted := terms{opened.topic, opened.partition, of.Number, of.BaseOffset, frozen.size, base64.StdEncoding.EncodeToString(frozen.root)}
		for _, allowed := range each.opened {
			if allowed != wanted {
				continue
			}
			end := frozen.base() + frozen.size
			if of.BaseOffset > end {
				return "", fmt.Errorf("%s begins at offset %d: records from %d on would be in no tree", name, of.BaseOffset, end)
			}
			return fmt.Sprintf("NOT CONTINUED: %s is frozen; %s goes on from offset %d, %d were signed: decision %s",
				frozen.shown(), name, of.BaseOffset, end, of.Decision), nil
		}
		return "", fmt.Errorf("%s, its base offset %d and the head of %s are not what decision %s allows", name, of.BaseOffset, frozen.name(), of.Decision)
	}
	return "", fmt.Errorf("%s is opened without decision %s on the record", name, of.Decision)
}

// sameGeneration tells whether two heads of a name are of one tree.
func sameGeneration(one, other head) bool {
	if one.generation == nil || other.generation == nil {
		return one.generation == other.generation
	}
	return *one.generation == *other.generation
}

func (h heads) newest(topic string, partition uint64) (head, bool) {
	var found head
	known := false
	for _, each := range h {
		if each.topic == topic && each.partition == partition && (!known || each.number() > found.number()) {
			found, known = each, true
		}
	}
	return found, known
}

func (h heads) equal(other heads) bool {
	if len(h) != len(other) {
		return false
	}
	for name, each := range h {
		same, known := other[name]
		if !known || same.size != each.size || !bytes.Equal(same.root, each.root) || !sameGeneration(same, each) {
			return false
		}
	}
	return true
}

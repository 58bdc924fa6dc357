package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

type entry struct {
	Number uint64              `json:"number"`
	TimeMs uint64              `json:"time_ms"`
	Moved  [][]json.RawMessage `json:"moved"`
	Cut    *cut                `json:"cut"`
}

type page struct {
	First      uint64  `json:"first"`
	Entries    []entry `json:"entries"`
	Checkpoint string  `json:"checkpoint"`
}

// followEntries follows every entry from the first to a checkpoint: each tree only grows, and each entry is the leaf that the tiles have.
func followEntries(log *client, keys *keys, now *checkpoint, covered heads, leaves [][]byte) error {
	known := heads{}
	var before *cut
	for number := uint64(0); number < now.Size; {
		var answer page
		if err := log.json(fmt.Sprintf("entries?first=%d&second=%d", number, now.Size), &answer); err != nil {
			return err
		}
		if answer.First != number || len(answer.Entries) == 0 {
			return fmt.Errorf("there are no entries after checkpoint %d", number)
		}
		for _, each := range answer.Entries {
			if each.Number != number || number >= now.Size {
				return fmt.Errorf("entry %d is missing, or entries go on behind the checkpoint", number)
			}
			if !each.Cut.follows(before) {
				return fmt.Errorf("entry %d has a cut that does not follow", number)
			}
			before = each.Cut
			if err := follow(known, each, leaves[number]); err != nil {
				return err
			}
			number++
		}
		if err := endsPage(keys, answer.Checkpoint, number, leaves); err != nil {
			return err
		}
	}
	if !known.equal(covered) {
		return fmt.Errorf("the entries do not lead to the heads of checkpoint %d", now.Size)
	}
	return nil
}

// endsPage checks the note at the end of a page.
func endsPage(keys *keys, text string, size uint64, leaves [][]byte) error {
	end, _, err := keys.open([]byte(text))
	if err != nil {
		return err
	}
	root, err := rootOver(leaves[:size])
	if err != nil {
		return err
	}
	if end.Size != size || !bytes.Equal(end.Hash, root) {
		return fmt.Errorf("the checkpoint of a page is not that of its last entry %d", size-1)
	}
	return nil
}

// follow moves the trees of one entry and compares its leaf.
func follow(known heads, each entry, leaf []byte) error {
	moved := map[string]bool{}
	for _, wire := range each.Moved {
		if len(wire) < 5 {
			return fmt.Errorf("entry %d: a move has %d members", each.Number, len(wire))
		}
		next, err := readHead(wire[:4], wire[5:])
		if err != nil {
			return fmt.Errorf("entry %d: %w", each.Number, err)
		}
		if moved[next.name()] {
			return fmt.Errorf("entry %d moves %s twice", each.Number, next.name())
		}
		moved[next.name()] = true
		if err := move(known, next, wire[4]); err != nil {
			return fmt.Errorf("entry %d: %w", each.Number, err)
		}
	}
	root, err := known.root()
	if err != nil {
		return err
	}
	own := rfc6962.DefaultHasher.HashLeaf(entryLeaf(each.Number, each.TimeMs, uint64(len(known)), root, each.Cut))
	if !bytes.Equal(own, leaf) {
		return fmt.Errorf("entry %d is not the leaf that the checkpoint signs", each.Number)
	}
	return nil
}

func move(known heads, next head, wire json.RawMessage) error {
	var texts []string
	if err := json.Unmarshal(wire, &texts); err != nil {
		return fmt.Errorf("a proof is not of its form: %w", err)
	}
	path, err := hashesOf(texts)
	if err != nil {
		return err
	}
	before, old := known[next.name()]
	if !old && next.generation != nil {
		return fmt.Errorf("NOT CONTINUED: %s is opened by decision %s, which this verifier does not read; use verify_log.py or countersign verify", next.name(), next.generation.Decision)
	}
	switch {
	case next.size == 0 && !old && len(path) == 0:
		err = emptyTree(next.name(), next.root)
	case next.size <= before.size:
		err = fmt.Errorf("%s does not grow", next.name())
	case before.size == 0 && len(path) > 0:
		err = fmt.Errorf("%s has no records before and a proof", next.name())
	case before.size > 0:
		err = proof.VerifyConsistency(rfc6962.DefaultHasher, before.size, next.size, path, before.root, next.root)
	}
	if err != nil {
		return fmt.Errorf("%s with %d records does not continue what it was with %d: %w", next.name(), next.size, before.size, err)
	}
	known[next.name()] = next
	return nil
}

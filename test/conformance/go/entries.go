package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

type entry struct {
	Number uint64              `json:"number"`
	TimeMs uint64              `json:"time_ms"`
	Moved  [][]json.RawMessage `json:"moved"`
	Cut    *cut                `json:"cut"`
	// Records that allow to open later generations of trees.
	Decisions []shownDecision `json:"decisions"`
}

type page struct {
	First      uint64  `json:"first"`
	Entries    []entry `json:"entries"`
	Checkpoint string  `json:"checkpoint"`
}

// followEntries follows every entry from the first to a checkpoint: each tree only grows, and each entry is the leaf that the tiles have.
// Answers a line for each tree that goes on in the place of a frozen one.
func followEntries(log *client, keys *keys, now *checkpoint, covered heads, leaves [][]byte) ([]string, error) {
	known := heads{}
	var report []string
	var before *cut
	for number := uint64(0); number < now.Size; {
		var answer page
		if err := log.json(fmt.Sprintf("entries?first=%d&second=%d", number, now.Size), &answer); err != nil {
			return nil, err
		}
		if answer.First != number || len(answer.Entries) == 0 {
			return nil, fmt.Errorf("there are no entries after checkpoint %d", number)
		}
		for _, each := range answer.Entries {
			if each.Number != number || number >= now.Size {
				return nil, fmt.Errorf("entry %d is missing, or entries go on behind the checkpoint", number)
			}
			if !each.Cut.follows(before) {
				return nil, fmt.Errorf("entry %d has a cut that does not follow", number)
			}
			before = each.Cut
			opened, err := follow(known, each, leaves[number])
			if err != nil {
				return nil, fmt.Errorf("entry %d: %w", number, err)
			}
			report = append(report, opened...)
			number++
		}
		if err := endsPage(keys, answer.Checkpoint, number, leaves); err != nil {
			return nil, err
		}
	}
	if !known.equal(covered) {
		return nil, fmt.Errorf("the entries do not lead to the heads of checkpoint %d", now.Size)
	}
	return report, nil
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

// follow moves the trees of one entry, checks what it opens, and compares its leaf.
func follow(known heads, each entry, leaf []byte) ([]string, error) {
	before, moved := maps.Clone(known), map[string]bool{}
	var opened []head
	for _, wire := range each.Moved {
		if len(wire) < 5 {
			return nil, fmt.Errorf("a move has %d members", len(wire))
		}
		next, err := readHead(wire[:4], wire[5:])
		if err != nil {
			return nil, err
		}
		if moved[next.name()] {
			return nil, fmt.Errorf("%s moves twice", next.name())
		}
		moved[next.name()] = true
		if isOpened, err := mayMove(known, next); err != nil {
			return nil, err
		} else if isOpened {
			opened = append(opened, next)
		}
		if err := move(known, next, wire[4]); err != nil {
			return nil, err
		}
	}
	report, err := checkOpenings(opened, each.Decisions, before, known, moved)
	if err != nil {
		return nil, err
	}
	root, err := known.root()
	if err != nil {
		return nil, err
	}
	own := rfc6962.DefaultHasher.HashLeaf(entryLeaf(each.Number, each.TimeMs, uint64(len(known)), root, each.Cut))
	if !bytes.Equal(own, leaf) {
		return nil, fmt.Errorf("it is not the leaf that the checkpoint signs")
	}
	return report, nil
}

// mayMove tells whether a move opens a later generation: it follows the newest tree of its partition, and only that one moves.
func mayMove(known heads, next head) (bool, error) {
	newest, there := known.newest(next.topic, next.partition)
	before, isKnown := known[next.name()]
	switch {
	case isKnown && !sameGeneration(before, next):
		return false, fmt.Errorf("%s has another base or decision than before", next.name())
	case isKnown && newest.number() != next.number():
		return false, fmt.Errorf("%s is frozen and moves", next.name())
	case isKnown || !there && next.generation == nil:
		return false, nil
	case !there || next.number() != newest.number()+1:
		return false, fmt.Errorf("%s does not follow the newest tree of its partition", next.name())
	}
	return true, nil
}

// checkOpenings demands a decision for each generation that an entry opens.
func checkOpenings(opened []head, shown []shownDecision, before, now heads, moved map[string]bool) ([]string, error) {
	if len(opened) == 0 {
		return nil, nil
	}
	var decisions []*decision
	for _, each := range shown {
		found, err := provenDecision(each, before, now)
		if err != nil {
			return nil, err
		}
		decisions = append(decisions, found)
	}
	var report []string
	for _, each := range opened {
		line, err := checkOpened(each, before, moved, decisions)
		if err != nil {
			return nil, err
		}
		report = append(report, line)
	}
	return report, nil
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

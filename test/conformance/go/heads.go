package main

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// generation names a tree that is not the original one of its partition.
type generation struct {
	Number     uint64 `json:"number"`
	BaseOffset uint64 `json:"base_offset"`
	Decision   string `json:"decision"`
}

// countMax is the largest count of a log.
const countMax = 1<<53 - 1

// head is size and root of one tree.
type head struct {
	topic      string
	partition  uint64
	size       uint64
	root       []byte
	generation *generation
}

func (h head) number() uint64 {
	if h.generation == nil {
		return 1
	}
	return h.generation.Number
}

func (h head) name() string {
	if h.generation == nil {
		return fmt.Sprintf("%s/%d", h.topic, h.partition)
	}
	return fmt.Sprintf("%s/%d#%d", h.topic, h.partition, h.generation.Number)
}

// shown is the name with the number of the original tree too.
func (h head) shown() string {
	return fmt.Sprintf("%s/%d#%d", h.topic, h.partition, h.number())
}

func (h head) base() uint64 {
	if h.generation == nil {
		return 0
	}
	return h.generation.BaseOffset
}

// readHead reads topic, partition, size and root, and maybe a generation behind them.
func readHead(wire []json.RawMessage, later []json.RawMessage) (head, error) {
	var found head
	var root string
	if len(wire) != 4 || len(later) > 1 {
		return found, fmt.Errorf("a head has %d members", len(wire)+len(later))
	}
	for i, into := range []any{&found.topic, &found.partition, &found.size, &root} {
		if err := json.Unmarshal(wire[i], into); err != nil {
			return found, fmt.Errorf("a head is not of its form: %w", err)
		}
	}
	if len(later) == 1 {
		found.generation = new(generation)
		if err := json.Unmarshal(later[0], found.generation); err != nil || found.generation.Number < 2 {
			return found, fmt.Errorf("%s is in no generation", found.topic)
		}
	}
	if found.size > countMax {
		return found, fmt.Errorf("the tree %s has no size", found.name())
	}
	var err error
	found.root, err = hashOf(root)
	return found, err
}

// heads are the heads of an entry by name.
type heads map[string]head

func (h heads) sorted() []head {
	all := make([]head, 0, len(h))
	for _, each := range h {
		all = append(all, each)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.topic != b.topic {
			return a.topic < b.topic
		}
		if a.partition != b.partition {
			return a.partition < b.partition
		}
		return a.number() < b.number()
	})
	return all
}

// root is the root over all heads.
func (h heads) root() ([]byte, error) {
	leaves := make([][]byte, 0, len(h))
	for _, each := range h.sorted() {
		leaves = append(leaves, rfc6962.DefaultHasher.HashLeaf(headLeaf(each)))
	}
	return rootOver(leaves)
}

func rootOver(leaves [][]byte) ([]byte, error) {
	if len(leaves) == 0 {
		return rfc6962.DefaultHasher.EmptyRoot(), nil
	}
	over := (&compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}).NewEmptyRange(0)
	for _, leaf := range leaves {
		if err := over.Append(leaf, nil); err != nil {
			return nil, err
		}
	}
	return over.GetRootHash(nil)
}

// coveredHeads fetches the heads that a checkpoint covers and proves its last entry.
func coveredHeads(log *client, now *checkpoint) (heads, error) {
	var answer struct {
		Entry struct {
			Number uint64   `json:"number"`
			TimeMs uint64   `json:"time_ms"`
			Path   []string `json:"path"`
			Cut    *cut     `json:"cut"`
		} `json:"entry"`
		Heads [][]json.RawMessage `json:"heads"`
	}
	if err := log.json(fmt.Sprintf("heads?size=%d", now.Size), &answer); err != nil {
		return nil, err
	}
	found := heads{}
	for _, wire := range answer.Heads {
		if len(wire) < 4 {
			return nil, fmt.Errorf("a head has %d members", len(wire))
		}
		each, err := readHead(wire[:4], wire[4:])
		if err != nil {
			return nil, err
		}
		if _, twice := found[each.name()]; twice {
			return nil, fmt.Errorf("the tree %s is there twice", each.name())
		}
		found[each.name()] = each
	}
	root, err := found.root()
	if err != nil {
		return nil, err
	}
	path, err := hashesOf(answer.Entry.Path)
	if err != nil {
		return nil, err
	}
	number := answer.Entry.Number
	if number != now.Size-1 {
		return nil, fmt.Errorf("entry %d is not the last one of checkpoint %d", number, now.Size)
	}
	leaf := rfc6962.DefaultHasher.HashLeaf(entryLeaf(number, answer.Entry.TimeMs, uint64(len(found)), root, answer.Entry.Cut))
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, number, now.Size, leaf, path, now.Hash); err != nil {
		return nil, fmt.Errorf("the heads are not those of checkpoint %d: %w", now.Size, err)
	}
	return found, nil
}

package main

import (
	"bytes"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// reader gives the stored hashes of a tree, each authenticated against its root by tlog.
func reader(log *client, tree string, size uint64, root []byte) tlog.HashReader {
	var hash tlog.Hash
	copy(hash[:], root)
	return tlog.TileHashReader(tlog.Tree{N: int64(size), Hash: hash}, &tiles{log, tree, map[tlog.Tile][]byte{}})
}

// wholeTree reads all leaf hashes of a tree from its tiles and adds them up to its signed root once more.
func wholeTree(log *client, tree string, size uint64, root []byte) ([][]byte, error) {
	if size == 0 {
		return nil, emptyTree(tree, root)
	}
	hashes := reader(log, tree, size, root)
	var leaves [][]byte
	for from := uint64(0); from < size; from += 256 {
		var indexes []int64
		for n := from; n < min(size, from+256); n++ {
			indexes = append(indexes, tlog.StoredHashIndex(0, int64(n)))
		}
		found, err := hashes.ReadHashes(indexes)
		if err != nil {
			return nil, fmt.Errorf("the tiles of %s do not prove its leaves from %d: %w", tree, from, err)
		}
		for _, hash := range found {
			leaves = append(leaves, bytes.Clone(hash[:]))
		}
	}
	computed, err := rootOver(leaves)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(computed, root) {
		return nil, fmt.Errorf("the leaves of %s do not add up to its signed head", tree)
	}
	return leaves, nil
}

func emptyTree(tree string, root []byte) error {
	if empty, _ := rootOver(nil); !bytes.Equal(empty, root) {
		return fmt.Errorf("%s has no records and a root", tree)
	}
	return nil
}

// continues proves with tlog, from authenticated tiles, that a tree of this size continues a smaller one.
func continues(log *client, tree string, now *checkpoint, size uint64, root []byte) error {
	if size == now.Size {
		if !bytes.Equal(root, now.Hash) {
			return fmt.Errorf("the log forked: two checkpoints of size %d have different roots", size)
		}
		return nil
	}
	proof, err := tlog.ProveTree(int64(now.Size), int64(size), reader(log, tree, now.Size, now.Hash))
	if err != nil {
		return fmt.Errorf("the tiles do not prove that the log continues checkpoint %d: %w", size, err)
	}
	if err := tlog.CheckTree(proof, int64(now.Size), tlog.Hash(now.Hash), int64(size), tlog.Hash(root)); err != nil {
		return fmt.Errorf("the log does not continue checkpoint %d: %w", size, err)
	}
	return nil
}

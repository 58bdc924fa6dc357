package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

const answerBytesMax = 64 << 20

// client reads the audit routes of a log.
type client struct {
	base, token string
	http        *http.Client
}

func newClient(base, token string) *client {
	return &client{strings.TrimRight(base, "/"), token, &http.Client{Timeout: 30 * time.Second}}
}

func (c *client) get(path string) ([]byte, error) {
	request, err := http.NewRequest(http.MethodGet, c.base+"/v1/audit/"+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, answerBytesMax))
	if err != nil {
		return nil, fmt.Errorf("the answer to %s breaks off: %w", path, err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the log answers %d to %s: %.300s", answer.StatusCode, path, body)
	}
	return body, nil
}

func (c *client) json(path string, into any) error {
	body, err := c.get(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("the answer to %s is not of its form: %w", path, err)
	}
	return nil
}

// tiles reads the tiles of one tree for tlog.TileHashReader, which authenticates them.
type tiles struct {
	log  *client
	tree string
	read map[tlog.Tile][]byte
}

func (t *tiles) Height() int { return 8 }

func (t *tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, len(wanted))
	for i, tile := range wanted {
		data, known := t.read[tile]
		if !known {
			var err error
			// tlog names a tile tile/<height>/<level>/<index>; ours is <tree>/<level>/<index>
			address := strings.TrimPrefix(tile.Path(), "tile/8/")
			if data, err = t.log.get("tile/" + escaped(t.tree) + "/" + address); err != nil {
				return nil, err
			}
			if len(data) != tile.W*tlog.HashSize {
				return nil, fmt.Errorf("tile %s of %s has %d bytes, not %d", address, t.tree, len(data), tile.W*tlog.HashSize)
			}
		}
		found[i] = data
	}
	return found, nil
}

// SaveTiles keeps tiles that were authenticated.
func (t *tiles) SaveTiles(saved []tlog.Tile, data [][]byte) {
	for i, tile := range saved {
		t.read[tile] = data[i]
	}
}

func escaped(tree string) string {
	parts := strings.Split(tree, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

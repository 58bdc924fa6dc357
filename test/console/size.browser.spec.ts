import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const SITE = 'apps/console/site';
/** JavaScript and styles of the first screen, compressed by gzip. */
const FIRST_SCREEN_BYTES_MAX = 80_000;
/** Of any other screen, beyond that. */
const SCREEN_BYTES_MAX = 120_000;

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
  css?: string[];
  dynamicImports?: string[];
}

const manifest = JSON.parse(readFileSync(path.join(SITE, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
const bytesOf = (file: string): number => gzipSync(readFileSync(path.join(SITE, file))).length;

/** Files that a chunk needs before it runs. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name] as Chunk;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) seen.add(file);
  for (const needed of chunk.imports ?? []) if (!seen.has((manifest[needed] as Chunk).file)) filesOf(needed, seen);
  return seen;
}

const total = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + bytesOf(file), 0);
const [entry] = Object.entries(manifest).find(([, chunk]) => chunk.isEntry) as [string, Chunk];

test('the entry and the home screen together stay below 80 kB compressed', () => {
  const home = Object.keys(manifest).find((name) => name.endsWith('home/home-screen.tsx')) as string;
  expect(total(new Set([...filesOf(entry), ...filesOf(home)]))).toBeLessThan(FIRST_SCREEN_BYTES_MAX);
});

test('no other screen adds more than 120 kB', () => {
  const first = filesOf(entry);
  const screens = Object.entries(manifest).filter(([name]) => (manifest[entry] as Chunk).dynamicImports?.includes(name));
  expect(screens.length).toBeGreaterThan(0);
  for (const [name] of screens) {
    const added = [...filesOf(name)].filter((file) => !first.has(file));
    expect([name, total(added) < SCREEN_BYTES_MAX]).toEqual([name, true]);
  }
});

test('the page has no inline script, style or handler', () => {
  const html = readFileSync(path.join(SITE, 'index.html'), 'utf8');
  expect(html.match(/<script(?![^>]* src=)[^>]*>|<style|\sstyle=|\son\w+=/g)).toBeNull();
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address as string);
  expect(addresses.filter((address) => !/^\/(console\/assets|docs)\//.test(address))).toEqual([]);
});

import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { CopyButton } from '../elements/copy-button.js';
import { SearchField } from '../elements/search-field.js';
import { withQuery } from '../navigation/match.js';
import { useNavigate, usePlace, useQueryState } from '../navigation/navigation.js';
import { Chip } from './chip.js';
import { ChoiceBar, ChoiceButton } from './choice-bar.js';
import { FilterDialog } from './filter-dialog.js';
import { chipsOf, type Filter, type FilterValues } from './filters.js';
import './lists.css';

/** A choice of filters with one click: `In doubt`. */
export interface Preset {
  label: string;
  values: FilterValues;
}

interface FilterBarProps {
  /** The name of the filter that the search field sets. */
  search: { name: string; label: string };
  filters: readonly Filter[];
  values: FilterValues;
  presets: readonly Preset[];
}

/** Search, filters and presets of a list. All of it lives in the address, so that a link shows the same list. */
export function FilterBar({ search, filters, values, presets }: FilterBarProps) {
  const [text, setText] = useQueryState(search.name);
  const [is_open, setOpen] = useState(false);
  const setFilters = useFilterChange();
  return (
    <div class="filter-bar">
      <div class="row filter-line">
        <SearchField label={search.label} value={text} onValue={setText} />
        <Button icon="filter" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          Filter
        </Button>
        <Presets presets={presets} values={values} />
      </div>
      <Chips filters={filters.filter(({ name }) => name !== search.name)} values={values} />
      {is_open && (
        <FilterDialog
          filters={filters.filter(({ name }) => name !== search.name)}
          values={values}
          onClose={() => setOpen(false)}
          onApply={(next) => {
            setOpen(false);
            setFilters(next);
          }}
        />
      )}
    </div>
  );
}

/** Changes filters in the address; an entry to come back to is left. */
export function useFilterChange(): (changes: FilterValues) => void {
  const { path, query } = usePlace();
  const go = useNavigate();
  return (changes) => go(path + withQuery(query, changes));
}

function Presets({ presets, values }: { presets: readonly Preset[]; values: FilterValues }) {
  const change = useFilterChange();
  const names = [...new Set(presets.flatMap((preset) => Object.keys(preset.values)))];
  return (
    <ChoiceBar label="Show">
      {[{ label: 'All', values: {} as FilterValues }, ...presets].map((preset) => {
        const is_set = names.every((name) => (values[name] ?? '') === (preset.values[name] ?? ''));
        const all = Object.fromEntries(names.map((name) => [name, preset.values[name] ?? '']));
        return (
          <ChoiceButton key={preset.label} is_pressed={is_set} onPress={() => change(all)}>
            {preset.label}
          </ChoiceButton>
        );
      })}
    </ChoiceBar>
  );
}

function Chips({ filters, values }: { filters: readonly Filter[]; values: FilterValues }) {
  const change = useFilterChange();
  const chips = chipsOf(values, filters);
  if (chips.length === 0) return null;
  return (
    <ul class="row chips" aria-label="Filters">
      {chips.map(({ name, label, value, without }) => (
        <Chip key={`${name} ${value}`} label={label} text={value} onRemove={() => change({ [name]: without })} />
      ))}
      <li class="row chips-all">
        <button type="button" class="text-button" onClick={() => change(Object.fromEntries(filters.map(({ name }) => [name, ''])))}>
          Clear
        </button>
        <CopyButton text={window.location.href} label="Copy link" />
      </li>
    </ul>
  );
}

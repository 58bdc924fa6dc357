import { useState } from 'preact/hooks';
import { SearchField } from '../elements/search-field.js';
import { useQueryState } from '../navigation/navigation.js';
import { type Rule, rulesOf } from './rule.js';
import { RuleCard } from './rule-card.js';

const SHOWN = 40;

/** The rules of a policy, with a search. A long policy comes in pieces. */
export function RulesList({ bundle }: { bundle: Readonly<Record<string, unknown>> }) {
  const rules = rulesOf(bundle);
  const [search, setSearch] = useQueryState('q');
  const [shown, setShown] = useState(SHOWN);
  const found = rules.filter((rule) => isFound(rule, search.trim().toLowerCase()));
  return (
    <div class="stack">
      {rules.length > 5 && (
        <div class="row row-spread">
          <SearchField label="Search rules" value={search} onValue={setSearch} />
          <span class="soft" role="status">
            {search.trim() === '' ? `${rules.length} rules` : `${found.length} of ${rules.length} rules`}
          </span>
        </div>
      )}
      {rules.length === 0 && <p class="soft">This policy has no rules: only built-in rules and default tiers decide.</p>}
      <div class="policies-rules">
        {found.slice(0, shown).map((rule) => (
          <RuleCard key={rule.id} rule={rule} />
        ))}
      </div>
      {found.length > shown && (
        <button type="button" class="text-button" onClick={() => setShown(shown + 5 * SHOWN)}>
          Show more rules ({found.length - shown} left)
        </button>
      )}
    </div>
  );
}

/** By anything that is written in the rule. */
const isFound = ({ fields }: Rule, search: string): boolean => search === '' || JSON.stringify(fields).toLowerCase().includes(search);

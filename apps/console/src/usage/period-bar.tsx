import { Field } from '../elements/field.js';
import { ChoiceBar, ChoiceButton } from '../lists/choice-bar.js';
import { useFilterChange } from '../lists/filter-bar.js';
import type { FilterValues } from '../lists/filters.js';
import { dayOf, type Period, PRESETS } from './period.js';

interface PeriodBarProps {
  /** The choice in the address. */
  chosen: { period: string; from: string; to: string };
  /** What it is; a text: why it is no period. */
  period: Period | string;
}

/** The time that the report is about. It lives in the address. */
export function PeriodBar({ chosen, period }: PeriodBarProps) {
  const change = useFilterChange();
  const is_dates = chosen.period === 'dates';
  const preset = PRESETS.find(([value]) => value === chosen.period)?.[0] ?? PRESETS[1][0];
  const own: FilterValues = typeof period === 'string' ? {} : { from: period.first, to: period.last };
  return (
    <div class="stack-tight">
      <ChoiceBar label="Time">
        {PRESETS.map(([value, label]) => (
          <ChoiceButton key={value} is_pressed={!is_dates && value === preset} onPress={() => change({ period: value, from: '', to: '' })}>
            {label}
          </ChoiceButton>
        ))}
        <ChoiceButton is_pressed={is_dates} onPress={() => change({ period: 'dates', ...own })}>
          Dates
        </ChoiceButton>
      </ChoiceBar>
      {is_dates && (
        <div class="usage-dates">
          <DayField label="First day" value={chosen.from} onValue={(from) => change({ from })} />
          <DayField
            label="Last day"
            value={chosen.to}
            onValue={(to) => change({ to })}
            error={typeof period === 'string' ? period : undefined}
          />
        </div>
      )}
    </div>
  );
}

function DayField({
  label,
  value,
  error,
  onValue,
}: {
  label: string;
  value: string;
  error?: string | undefined;
  onValue: (day: string) => void;
}) {
  return (
    <Field label={label} error={error}>
      {(control) => (
        <input
          {...control}
          class="input"
          type="date"
          value={value}
          max={dayOf(Date.now())}
          onChange={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

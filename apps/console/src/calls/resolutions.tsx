export type Resolution = 'happened' | 'did_not_happen';

/** What a person found in the system of record, and what each answer leads to. */
export function Resolutions({ chosen, choose }: { chosen: Resolution | undefined; choose: (name: Resolution) => void }) {
  return (
    <fieldset class="resolutions">
      <legend>What does the system of record say?</legend>
      <Choice
        name="happened"
        chosen={chosen}
        choose={choose}
        title="It happened"
        text="The call ends as succeeded. Its key answers equal calls, so nothing is done twice."
      />
      <Choice
        name="did_not_happen"
        chosen={chosen}
        choose={choose}
        title="It did not happen"
        text="The call ends as failed without effect. The agent may try again: be sure that it cannot still arrive."
      />
    </fieldset>
  );
}

interface ChoiceProps {
  name: Resolution;
  chosen: Resolution | undefined;
  choose: (name: Resolution) => void;
  title: string;
  text: string;
}

function Choice({ name, chosen, choose, title, text }: ChoiceProps) {
  return (
    <label class="resolution" data-chosen={chosen === name || undefined}>
      <input type="radio" name="resolution" checked={chosen === name} onChange={() => choose(name)} />
      <span>
        <strong>{title}</strong>
        <span class="soft">{text}</span>
      </span>
    </label>
  );
}

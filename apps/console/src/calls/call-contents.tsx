import { InertText } from '../elements/inert.js';
import { JsonTree } from '../elements/json-tree.js';
import { Panel } from '../elements/screen.js';
import { Tag } from '../elements/status-badge.js';
import { Tabs } from '../elements/tabs.js';
import { useQueryState } from '../navigation/navigation.js';
import type { Call } from './call.js';

/** What went in and what came out. */
export function CallContents({ call }: { call: Call }) {
  const [tab, setTab] = useQueryState('show', 'inputs');
  const has_mapped = call.mapped_input !== undefined;
  const tabs = [
    { id: 'inputs', label: 'Inputs' },
    ...(has_mapped ? [{ id: 'mapped', label: 'Inputs after mapping' }] : []),
    { id: 'output', label: 'Output' },
  ];
  return (
    <Panel>
      <Notes call={call} />
      <Tabs label="Contents" tabs={tabs} selected={tab} onSelect={setTab}>
        {tab === 'output' ? (
          <Output call={call} />
        ) : (
          <Value value={tab === 'mapped' && has_mapped ? call.mapped_input : call.inputs} what="inputs" />
        )}
      </Tabs>
    </Panel>
  );
}

/** What is not shown, or not as it was, and why. */
function Notes({ call }: { call: Call }) {
  const redacted = (call.decision?.obligations ?? []).filter(({ kind }) => kind === 'redact');
  return (
    <>
      {call.withheld && (
        <p class="notice notice-warn">
          Inputs and output are withheld: you lack the markings {call.withheld.join(', ')}. An administrator can grant them.
        </p>
      )}
      {call.markings.length > 0 && (
        <div class="row">
          <span class="faint">Markings</span>
          {call.markings.map((marking) => (
            <Tag key={marking}>{marking.slice(0, 60)}</Tag>
          ))}
        </div>
      )}
      {redacted.map(({ rule, paths }) => (
        <p key={rule} class="notice">
          Rule <InertText text={rule} characters_max={100} /> hides <InertText text={paths.join(', ')} characters_max={200} mono />
        </p>
      ))}
    </>
  );
}

/** What stands in the place of data whose subject was erased (libs/contracts, ERASED). */
const ERASED = 'erased';

function Value({ value, what }: { value: unknown; what: string }) {
  if (value === null || value === undefined) return <p class="soft">No {what}.</p>;
  if (value === ERASED)
    return <p class="notice">The {what} were erased with their subject. Only that they existed is still on the record.</p>;
  return <JsonTree value={value} open_levels={3} />;
}

function Output({ call }: { call: Call }) {
  return (
    <div class="stack">
      {call.truncated && (
        <p class="notice notice-warn">The output was too large and is shortened here. The whole is in the attachment below.</p>
      )}
      {call.status === 'in_doubt' ? <p class="soft">No output: the answer was lost.</p> : <Value value={call.output} what="output" />}
      {call.attachments.length > 0 && (
        <ul class="attachments" aria-label="Attachments">
          {call.attachments.map(({ url, kind, content_type, bytes }) => (
            <li key={url} class="row">
              {url.startsWith('/v1/blobs/') ? (
                <a href={url} download>
                  <InertText text={kind} characters_max={80} />
                </a>
              ) : (
                <InertText text={url} characters_max={200} mono />
              )}
              <span class="faint">
                {content_type.slice(0, 80)}, {bytes.toLocaleString('en')} bytes
              </span>
            </li>
          ))}
        </ul>
      )}
      {call.validation && <Issues validation={call.validation} />}
    </div>
  );
}

const ISSUES_SHOWN = 50;

function Issues({ validation: { layer, issues } }: { validation: NonNullable<Call['validation']> }) {
  return (
    <div class="notice notice-warn">
      <p>
        The check “{layer.slice(0, 60)}” found {issues.length === 1 ? 'one issue' : `${issues.length} issues`}:
      </p>
      <ul>
        {issues.slice(0, ISSUES_SHOWN).map((issue, at) => {
          const { path, message } = (issue ?? {}) as { path?: unknown; message?: unknown };
          return (
            <li key={at}>
              <code>
                <InertText text={typeof path === 'string' && path !== '' ? path : '/'} characters_max={120} />
              </code>{' '}
              <InertText text={typeof message === 'string' ? message : JSON.stringify(issue)} characters_max={300} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

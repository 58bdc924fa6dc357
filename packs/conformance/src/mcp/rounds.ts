import { acceptedContent, type InputRequests, inputRequired, type ServerContext } from '@modelcontextprotocol/server';
import { declaredBy } from './declared.js';
import { choicesForm, completion, confirmForm, defaultsForm, textForm, userForm } from './forms.js';

/** What the extension does before a call: asks the client, or submits the call with the answers. */
export type Round = { ask: InputRequests; state?: Record<string, string> } | { answers: Record<string, string> };

type Responses = Record<string, unknown> | undefined;

interface Asked {
  args: Record<string, unknown>;
  ctx: ServerContext;
}

/** A field of an accepted form; undefined if it is missing or has another type. */
function field(responses: Responses, key: string, name: string): string | undefined {
  const value = acceptedContent<Record<string, unknown>>(responses, key)?.[name];
  return typeof value === 'string' ? value : undefined;
}

function sampled(responses: Responses, key: string): string | undefined {
  const response = responses?.[key] as { content?: { text?: unknown } } | undefined;
  if (response === undefined) return undefined;
  const value = response.content?.text;
  return typeof value === 'string' ? value : JSON.stringify(response);
}

function roots(responses: Responses, key: string): string | undefined {
  const listed = (responses?.[key] as { roots?: { uri?: string }[] } | undefined)?.roots;
  return Array.isArray(listed) ? listed.map(({ uri }) => uri).join(', ') : undefined;
}

const confirmed = (responses: Responses, key: string) => (acceptedContent(responses, key) === undefined ? undefined : 'confirmed');

/** Any response to a form, a refusal too. */
const responded = (responses: Responses, key: string) =>
  responses?.[key] === undefined ? undefined : JSON.stringify(responses[key]).slice(0, 1_000);

const responsesOf = ({ ctx }: Asked): Responses => ctx.mcpReq.inputResponses;
const stateOf = ({ ctx }: Asked) => ctx.mcpReq.requestState<Record<string, string>>();

/** The answers if each question has one, else the questions again. */
function round(found: Record<string, string | undefined>, ask: () => InputRequests, state?: Record<string, string>): Round {
  if (Object.values(found).every((answer) => answer !== undefined)) return { answers: found as Record<string, string> };
  return state ? { ask: ask(), state } : { ask: ask() };
}

function statefulConfirmation(at: Asked): Round {
  const confirm = confirmed(responsesOf(at), 'confirm');
  const returned = stateOf(at) === undefined ? undefined : 'returned';
  return round({ confirm, state: returned }, () => ({ confirm: confirmForm('Please confirm', 'ok') }), { waits_for: 'confirm' });
}

function twoRounds(at: Asked): Round {
  const state = stateOf(at);
  if (state === undefined) return { ask: { step1: textForm('Step 1: What is your name?', 'name') }, state: { round: '1' } };
  if (state.round === '1') {
    const step1 = field(responsesOf(at), 'step1', 'name') ?? 'somebody';
    return { ask: { step2: textForm('Step 2: What is your favorite color?', 'color') }, state: { round: '2', step1 } };
  }
  return { answers: { step1: state.step1 ?? 'somebody', step2: field(responsesOf(at), 'step2', 'color') ?? 'no color' } };
}

function threeQuestions(at: Asked): Round {
  const responses = responsesOf(at);
  const found = {
    user_name: field(responses, 'user_name', 'name'),
    greeting: sampled(responses, 'greeting'),
    client_roots: roots(responses, 'client_roots'),
  };
  const ask = () => ({
    user_name: textForm('What is your name?', 'name'),
    greeting: completion('Generate a greeting', 50),
    client_roots: inputRequired.listRoots(),
  });
  return round(found, ask, { waits_for: 'three answers' });
}

/** Asks only what the client declares that it can answer. */
function whatTheClientCan(at: Asked): Round {
  const responses = responsesOf(at);
  if (responses !== undefined)
    return {
      answers: Object.fromEntries(
        Object.keys(responses)
          .slice(0, 5)
          .map((key) => [key, 'answered']),
      ),
    };
  const declared = declaredBy(at.ctx);
  const ask: InputRequests = {
    ...(declared?.elicitation && { user_name: textForm('What is your name?', 'name') }),
    ...(declared?.sampling && { greeting: completion('Generate a short greeting', 50) }),
    ...(declared?.roots && { client_roots: inputRequired.listRoots() }),
  };
  return Object.keys(ask).length === 0 ? { answers: {} } : { ask };
}

const userName = (at: Asked): Round =>
  round({ user_name: field(responsesOf(at), 'user_name', 'name') }, () => ({ user_name: textForm('What is your name?', 'name') }));

const form = (at: Asked, request: () => InputRequests[string]): Round =>
  round({ form: responded(responsesOf(at), 'form') }, () => ({ form: request() }));

const sampling = (at: Asked, key: string, question: string, max_tokens: number): Round =>
  round({ [key]: sampled(responsesOf(at), key) }, () => ({ [key]: completion(question, max_tokens) }));

/** The questions of each asking tool, by its name. */
const asking: Readonly<Record<string, (at: Asked) => Round>> = {
  test_input_required_result_elicitation: userName,
  test_tool_with_task: userName,
  test_input_required_result_sampling: (at) => sampling(at, 'capital_question', 'What is the capital of France?', 100),
  test_input_required_result_list_roots: (at) =>
    round({ client_roots: roots(responsesOf(at), 'client_roots') }, () => ({ client_roots: inputRequired.listRoots() })),
  test_input_required_result_request_state: statefulConfirmation,
  test_input_required_result_tampered_state: statefulConfirmation,
  test_input_required_result_multiple_inputs: threeQuestions,
  test_input_required_result_multi_round: twoRounds,
  test_input_required_result_capabilities: whatTheClientCan,
  test_missing_capability: (at) => sampling(at, 'llm_answer', 'Reply with the single word: pong', 16),
  test_sampling: (at) => sampling(at, 'completion', String(at.args.prompt ?? ''), 100),
  test_elicitation: (at) => form(at, () => userForm(String(at.args.message ?? ''))),
  test_elicitation_sep1034_defaults: (at) => form(at, defaultsForm),
  test_elicitation_sep1330_enums: (at) => form(at, choicesForm),
};

export const asks = (tool: string): boolean => Object.hasOwn(asking, tool);

/** The round of a call; undefined if its tool asks nothing. */
export function roundOf(tool: string, at: Asked): Round | undefined {
  return asks(tool) ? asking[tool]?.(at) : undefined;
}

import { z } from 'zod';
import { answers, suiteTool, text } from '../suite-tool.js';

const asked = z.strictObject({ answers });

/** A tool that returns the answers of the client. The extension asks for them before the call. */
const asking = (name: string, description: string, sentence: (given: Record<string, string>) => string) =>
  suiteTool({ name, description, input: asked, run: ({ answers: given }) => [text(sentence(given ?? {}))] });

/** Tools that need something of the client: a form, a completion of its model, or its roots. */
export const askingTools = [
  asking(
    'test_input_required_result_elicitation',
    'For the conformance suite: asks for a name.',
    ({ user_name }) => `Hello, ${user_name}!`,
  ),
  asking(
    'test_input_required_result_sampling',
    'For the conformance suite: asks the model of the client.',
    ({ capital_question }) => `Answer: ${capital_question}`,
  ),
  asking(
    'test_input_required_result_list_roots',
    'For the conformance suite: asks for the roots of the client.',
    ({ client_roots }) => `Roots: ${client_roots}`,
  ),
  asking('test_input_required_result_request_state', 'For the conformance suite: asks with a state that returns.', () => 'state-ok'),
  asking(
    'test_input_required_result_multiple_inputs',
    'For the conformance suite: asks three questions at once.',
    ({ greeting, user_name, client_roots }) => `${greeting} ${user_name}, roots: ${client_roots}`,
  ),
  asking(
    'test_input_required_result_multi_round',
    'For the conformance suite: asks twice, one question after the other.',
    ({ step1, step2 }) => `${step1} likes ${step2}`,
  ),
  asking('test_input_required_result_tampered_state', 'For the conformance suite: refuses a state that was changed.', () => 'integrity-ok'),
  asking(
    'test_input_required_result_capabilities',
    'For the conformance suite: asks only what the client can answer.',
    (given) => `Answered: ${Object.keys(given).join(', ') || 'nothing was asked'}`,
  ),
  asking(
    'test_missing_capability',
    'For the conformance suite: needs a client with sampling.',
    ({ llm_answer }) => `The model answered ${llm_answer}`,
  ),
  asking('test_sampling', 'For the conformance suite: asks the model of the client.', ({ completion }) => `LLM response: ${completion}`),
  asking('test_elicitation', 'For the conformance suite: shows a form.', ({ form }) => `User response: ${form}`),
  asking(
    'test_elicitation_sep1034_defaults',
    'For the conformance suite: shows a form with defaults.',
    ({ form }) => `Elicitation completed: ${form}`,
  ),
  asking(
    'test_elicitation_sep1330_enums',
    'For the conformance suite: shows a form with choices.',
    ({ form }) => `Elicitation completed: ${form}`,
  ),
];

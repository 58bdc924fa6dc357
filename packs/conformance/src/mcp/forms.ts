import { type InputRequest, inputRequired } from '@modelcontextprotocol/server';

const choices = (type: 'First' | 'value', titles: readonly string[]) =>
  titles.map((title, at) => ({ const: `value${at + 1}`, title: `${title} ${type === 'First' ? 'Choice' : 'Option'}` }));

const ORDINALS = ['First', 'Second', 'Third'];
const OPTIONS = ['option1', 'option2', 'option3'];

/** A form with one text field. */
export const textForm = (message: string, field: string): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  });

/** A form with one yes-or-no field. */
export const confirmForm = (message: string, field: string): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'boolean' } }, required: [field] },
  });

/** The form of `test_elicitation`. */
export const userForm = (message: string): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      },
      required: ['username', 'email'],
    },
  });

/** A default for each primitive type (SEP-1034). */
export const defaultsForm = (): InputRequest =>
  inputRequired.elicit({
    message: 'Review the fields and their defaults',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
      required: [],
    },
  });

/** Each way to offer choices (SEP-1330). */
export const choicesForm = (): InputRequest =>
  inputRequired.elicit({
    message: 'Choose in each field',
    requestedSchema: {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: OPTIONS },
        titledSingle: { type: 'string', oneOf: choices('value', ORDINALS) },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
        untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: OPTIONS } },
        titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: choices('First', ORDINALS) } },
      },
      required: [],
    },
  });

/** A question to the model of the client. */
export const completion = (question: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: question } }], maxTokens });

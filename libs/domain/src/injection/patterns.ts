/** What a text of a tool may carry to steer the model that reads it, after the MCP lists of OWASP and CoSAI. */
export type InjectionFlag =
  | 'hidden_characters'
  | 'terminal_escapes'
  | 'hidden_markup'
  | 'padding'
  | 'instructions'
  | 'secrecy'
  | 'role_markers'
  | 'tool_shadowing'
  | 'credentials'
  | 'exfiltration'
  | 'encoded_payload';

/** A pattern over raw text. Every quantifier is bounded, so that a search takes time in proportion to the text. */
interface RawPattern {
  flag: InjectionFlag;
  expression: RegExp;
}

/** Zero-width and bidirectional controls, Unicode tags and private-use characters. Joiners count between Latin letters only: emoji have them. */
const HIDDEN =
  /\u034f|[\u00ad\u061c\u115f\u1160\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]|(?<=[A-Za-z])[\u200c\u200d](?=[A-Za-z])/u;

/** Patterns of the text as it is. */
export const RAW_PATTERNS: readonly RawPattern[] = [
  { flag: 'hidden_characters', expression: HIDDEN },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is searched for
  { flag: 'terminal_escapes', expression: /[\u001b\u009b]|[\u0000-\u0008\u000e-\u001a\u007f]/ },
  {
    flag: 'hidden_markup',
    expression: /<!--|<\s{0,4}(?:script|iframe|object|style|svg)\b|(?:display\s{0,4}:\s{0,4}none|font-size\s{0,4}:\s{0,4}0)/i,
  },
  { flag: 'padding', expression: /[ \t\u00a0\u2000-\u200a\u3000]{200}|\n{40}/ },
  { flag: 'exfiltration', expression: /!\[[^\]]{0,200}\]\(\s{0,4}https?:\/\/[^)\s]{1,300}[?&=]/i },
  { flag: 'encoded_payload', expression: /[A-Za-z0-9+/]{400}/ },
];

/** Patterns of the text in lower case, without hidden characters, with single spaces. */
export const WORD_PATTERNS: readonly RawPattern[] = [
  {
    flag: 'instructions',
    expression:
      /\b(?:ignore|disregard|forget|override|bypass|do not follow)\b.{0,40}\b(?:previous|prior|above|earlier|all|other|system|your|any)\b.{0,30}\b(?:instructions?|prompts?|rules|guidelines|directions|messages?|policies|polic(?:y|ies)|context)\b/,
  },
  { flag: 'instructions', expression: /<\s?\/?\s?(?:important|critical|secret|hidden|instructions?|system|assistant)\s?>/ },
  { flag: 'instructions', expression: /\b(?:new|updated|real|actual) (?:system )?(?:instructions?|prompt)\s?:/ },
  {
    flag: 'instructions',
    expression:
      /\byou (?:must|are required to|have to|should) (?:always |first |now |immediately )?(?:call|invoke|run|execute|read|send|use|pass|include)\b/,
  },
  {
    flag: 'secrecy',
    expression:
      /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|notify|notifying|show|showing|ask|asking|alert)\b.{0,20}\b(?:user|human|person|operator|anyone|them)\b/,
  },
  {
    flag: 'role_markers',
    expression:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id)\|>|\[\/?inst\]|<<\/?sys>>|(?:^|[.!?] )(?:system|assistant) ?: /m,
  },
  {
    flag: 'tool_shadowing',
    expression:
      /\b(?:before|after|whenever|when|instead of|rather than)\b.{0,20}\b(?:using|calling|invoking|running|use|call)\b.{0,40}\b(?:tools?|functions?|server|[a-z]+_[a-z_]{1,40})\b/,
  },
  {
    flag: 'credentials',
    expression:
      /~\/\.(?:ssh|aws|kube|config|cursor|gnupg|npmrc|netrc)|\bid_(?:rsa|ed25519)\b|\/etc\/(?:passwd|shadow)\b|\bmcp\.json\b|\.env\b|\b(?:private|api|secret|access) ?keys?\b.{0,40}\b(?:send|include|pass|append|attach|provide|read)\b|\b(?:send|include|pass|append|attach|provide|read)\b.{0,40}\b(?:(?:private|api|secret|access) ?keys?|passwords?|credentials?|tokens?)\b/,
  },
  {
    flag: 'exfiltration',
    expression:
      /\b(?:send|post|upload|forward|transmit|exfiltrate|leak|copy)\b.{0,60}\b(?:conversation|chat history|history|system prompt|context|contents?|secrets?|data)\b.{0,60}(?:https?:\/\/|\bto\b.{0,20}(?:@|\burl\b|\bserver\b|\bwebhook\b|\bendpoint\b))/,
  },
];

export const hiddenCharacters = new RegExp(HIDDEN.source, 'gu');

/** One block of server-sent events: its id, name and data; each undefined if the block has none. */
export interface EventBlock {
  id: string | undefined;
  event: string | undefined;
  data: string | undefined;
}

/** A longer block is no event of the gateway. */
const BLOCK_MAX = 1_048_576;

/** Splits the text of server-sent events (HTML) into blocks, however it arrives. */
export class EventBlocks {
  private text = '';

  /** The blocks that this text completes. @throws RangeError for a block that does not end */
  take(text: string): EventBlock[] {
    this.text = (this.text + text).replaceAll('\r\n', '\n');
    const blocks = this.text.split('\n\n');
    this.text = blocks.pop() ?? '';
    if (this.text.length > BLOCK_MAX) throw new RangeError(`an event is longer than ${BLOCK_MAX} characters`);
    return blocks.map(blockOf);
  }
}

function blockOf(text: string): EventBlock {
  const block: EventBlock = { id: undefined, event: undefined, data: undefined };
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/s.exec(line) ?? [];
    if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    else if (name === 'id' || name === 'event') block[name] = value;
  }
  return block;
}

import type { Caller } from '@countersign/calls';
import { Injectable } from '@nestjs/common';
import { GetCallTool } from './get-call.service.js';
import type { OwnTool } from './own-tool.js';

/** The server's own tools. A tool of the registry with one of these names is hidden: it could pass for the real one. */
@Injectable()
export class OwnTools {
  private readonly all: readonly OwnTool[];

  constructor(get_call: GetCallTool) {
    this.all = [get_call];
  }

  of(caller: Caller): readonly OwnTool[] {
    return this.all.filter((own) => own.isFor(caller));
  }

  named(name: string): OwnTool | undefined {
    return this.all.find(({ tool }) => tool.name === name);
  }
}

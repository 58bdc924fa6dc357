import { Refusal } from '@countersign/calls';
import { itemNames } from '@countersign/domain';
import { Controller, Get, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { DEFAULT_TENANT } from '../identity/tenants.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

export const adapterPinRequest = z.strictObject({
  adapter_version: z.string().min(1).max(100).nullable().default(null),
  protocol_version: z.string().min(1).max(100).nullable().default(null),
});

/** `/v1/adapters`: which version of an adapter, and of its protocol, an environment runs tools on. The installation's admins set it. */
@Controller('v1/adapters')
export class AdapterPinsController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['operator', 'policy_admin'], () => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const pins = [...this.room.configuration.state.adapter_pins.values()];
      return ok(
        pageOf(
          pins,
          page,
          (pin) => `${pin.environment}/${pin.adapter}`,
          ({ changed_at_ms, ...pin }) => ({
            ...pin,
            changed_at: new Date(changed_at_ms).toISOString(),
            etag: this.room.configuration.edits.etag(DEFAULT_TENANT, itemNames.adapter_pin(pin.environment, pin.adapter)),
          }),
        ),
      );
    });
  }

  @Put(':adapter/environments/:environment')
  set(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      if (caller.tenant_id !== DEFAULT_TENANT) return new Refusal('forbidden', 'only admins of the installation pin adapters');
      const body = parseBody(adapterPinRequest, request.body);
      if (body instanceof Refusal) return body;
      const { adapter, environment } = request.params as { adapter: string; environment: string };
      const pin = { environment, adapter, ...body };
      const { tenant_id, principal: by } = caller;
      const draft = () => ({ ...pin, by, changed_at_ms: this.room.configuration.clock.now_ms() });
      const item = itemNames.adapter_pin(environment, adapter);
      const edited = await this.room.editEverywhere(request, { tenant_id, type: 'adapter_pin_set', item, draft });
      if (edited instanceof Refusal) return edited;
      const changed_at = new Date(edited.fields.changed_at_ms).toISOString();
      return ok({ ...pin, changed_at, ...edited.everywhere }, { etag: edited.etag });
    });
  }
}

import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { AnswersIn } from '../http/answer.decorator.js';

/**
 * A route that answers with server-sent events. Nest's `@Sse()` is not used: it formats every event for each reader (here all
 * readers of a call share one text), bounds what a reader leaves unread by characters of waiting events and then drops the
 * connection without a word (here by bytes, with `event: closed` and its reason), and has no place for the limits of open
 * streams, the shared beat, their longest duration and the end of a credential (OpenStreams).
 */
export const EventStreamAnswer = (): MethodDecorator =>
  applyDecorators(
    AnswersIn('text/event-stream', 'server-sent events (HTML)'),
    ApiHeader({ name: 'Last-Event-ID', description: 'id of the last event received: the stream resumes after it', required: false }),
  );

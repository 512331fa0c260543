import { ErrorCode, McpError } from '../../errors.ts'
import { errorFrame } from '../../protocol/jsonrpc.ts'
import { jsonAnswer } from './post-exchange.ts'
import type * as whole from './subscription-handler.ts'

/** No reply stays open to tell of changes. */
export class Listening implements Pick<whole.SubscriptionHandler, 'drain' | 'answer'> {
  drain(): void {}

  answer(
    ...[, , { message, revision }]: Parameters<whole.SubscriptionHandler['answer']>
  ): ReturnType<typeof jsonAnswer> {
    const error = new McpError(ErrorCode.MethodNotFound, WHY)
    return jsonAnswer({ frame: errorFrame(message.id, revision.encodeError(error)), error }, revision)
  }
}

const WHY = 'Changes are not told here: the server was bundled under the condition "jetway-edge"'

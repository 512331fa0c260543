import { ErrorCode, McpError } from '../../errors.ts'
import { errorFrame, type RequestId } from '../../protocol/jsonrpc.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import { fromStore } from '../streams/store-failure.ts'
import type { StreamLog } from '../streams/resumable-stream.ts'

export interface Seizure {
  /** The life of the stream that the client knows. */
  readonly epoch: string
  /** The id of this node. */
  readonly node: string
  readonly revision: Revision
}

const FINAL = { final: true }

/** Ends the stream of a call whose node has stopped: every request without a response gets an error. */
export async function endOrphan(
  { store, key }: StreamLog,
  { epoch, node, revision }: Seizure,
): Promise<void> {
  const seized = await fromStore(() => store.seize(key, epoch, node))
  if (seized === undefined) return
  const { lease, last, pending } = seized
  const events = pending.map((id, i) => ({ seq: last + 1 + i, frame: lostFrame(id, revision), answers: id }))
  await fromStore(() => (events.length === 0 ? store.delete(key) : store.append(key, lease, events, FINAL)))
}

const lostFrame = (id: RequestId, revision: Revision): string =>
  errorFrame(
    id,
    revision.encodeError(
      new McpError(
        ErrorCode.InternalError,
        'The node that ran this call has stopped. The call may have had effects: check them before you call again',
      ),
    ),
  )

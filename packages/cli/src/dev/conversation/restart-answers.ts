import { ErrorCode, type JsonRpcRequest, type JsonRpcResponse, Method } from '@jetway/core/protocol'
import { namesRevision } from './request-meta.ts'

const RESTARTED = 'The server was restarted while this ran; call again'

/**
 * Creates the response to a request whose process has exited. The response to a tool call is a result with an
 * error, so that the model reads it.
 */
export function lostAnswer({ id, method, params }: JsonRpcRequest): JsonRpcResponse {
  if (method !== Method.CallTool) return failure(id, RESTARTED)
  const result = { content: [{ type: 'text', text: RESTARTED }], isError: true }
  return {
    jsonrpc: '2.0',
    id,
    result: namesRevision(params) ? { resultType: 'complete', ...result } : result,
  }
}

/** Creates the response to a request that no process accepted in time. */
export const downAnswer = ({ id }: JsonRpcRequest): JsonRpcResponse =>
  failure(id, 'The server is not running: see the output of jetway dev, and try again')

export const busyAnswer = ({ id }: JsonRpcRequest): JsonRpcResponse =>
  failure(id, 'Too many requests wait for the server: try again later')

const failure = (id: JsonRpcRequest['id'], message: string): JsonRpcResponse => ({
  jsonrpc: '2.0',
  id,
  error: { code: ErrorCode.InternalError, message },
})

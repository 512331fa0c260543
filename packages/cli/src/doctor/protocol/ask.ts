import { type ClientTransport, McpError, type TransportFactory } from '@jetway/client'
import { isObject, type JsonObject, type JsonRpcRequest, type Revision } from '@jetway/core/protocol'

export interface Question {
  readonly message: JsonRpcRequest
  readonly revision: Revision | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** The time limit for the whole connection, in ms. */
  readonly timeoutMs: number
}

/**
 * Sends one request on its own connection. A client is not used, because it would propose only known revisions.
 *
 * @throws McpError if the server responds with an error; any error of the transport
 */
export async function ask(
  target: TransportFactory,
  { message, revision, headers, timeoutMs }: Question,
): Promise<JsonObject> {
  const signal = AbortSignal.timeout(timeoutMs)
  let transport: ClientTransport | undefined
  try {
    return await new Promise<JsonObject>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('no answer in time')), { once: true })
      const run = async (): Promise<void> => {
        transport = await target()
        await transport.start({
          message(value) {
            for (const each of Array.isArray(value) ? value : [value])
              if (isObject(each) && each['id'] === message.id) settle(each, resolve, reject)
          },
          malformed: () => {},
          requestFailed: (_, error) => reject(error),
          close: (reason) =>
            reject(new Error(reason.kind === 'error' ? String(reason.error) : 'the connection was closed')),
        })
        await transport.send(message, { revision, signal, ...(headers !== undefined && { headers }) })
      }
      run().catch(reject)
    })
  } finally {
    await transport?.close()
  }
}

function settle(
  { result, error }: JsonObject,
  resolve: (result: JsonObject) => void,
  reject: (error: Error) => void,
): void {
  if (isObject(result)) resolve(result)
  else if (isObject(error)) reject(new McpError(Number(error['code']), String(error['message'])))
  else reject(new Error('neither a result nor an error'))
}

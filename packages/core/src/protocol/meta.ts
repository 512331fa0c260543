import { isObject, isRequestId, type JsonObject, type RequestId } from './jsonrpc.ts'

/**
 * The token under which a request wants progress. It may be any string or integer, `0` and `""` included, within the
 * limits of an id: it comes back with every notification.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
 */
export function progressToken(params: JsonObject | undefined): RequestId | undefined {
  const meta = params?.['_meta']
  const token = isObject(meta) ? meta['progressToken'] : undefined
  return isRequestId(token) ? token : undefined
}

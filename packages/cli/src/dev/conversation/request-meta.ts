import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  isObject,
  type JsonObject,
  PROTOCOL_VERSION,
} from '@jetway/core/protocol'

/** Returns whether a request names its revision. If it does, it does not belong to a session. */
export function namesRevision(params: JsonObject | undefined): boolean {
  const meta = params?.['_meta']
  return isObject(meta) && PROTOCOL_VERSION in meta
}

/** Returns a request's `_meta`, without the members that are specific to this request. */
export function identityOf(params: JsonObject | undefined): JsonObject {
  const meta = params?.['_meta']
  if (!isObject(meta)) return {}
  const keys = [PROTOCOL_VERSION, CLIENT_INFO, CLIENT_CAPABILITIES].filter((key) => key in meta)
  return Object.fromEntries(keys.map((key) => [key, meta[key]]))
}

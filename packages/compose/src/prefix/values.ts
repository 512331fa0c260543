import { brandOf } from '@jetway/core/compose'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { completeOf, relayed } from '../relay.ts'
import { blocksWith, contentWith, messageWith, resultWith } from './uris.ts'

type MapUri = (uri: string) => string

/** Which list of a result in the form of the protocol a handler may return. */
type ResultList = 'content' | 'contents' | 'messages'

/** Changes the addresses in a value that a handler returns. Data stays as it is. */
export function valueWith(value: unknown, list: ResultList, map: MapUri): unknown {
  const brand = brandOf(value)
  const complete = completeOf(value)
  if (complete !== undefined) {
    const { json: _json, ...rest } = complete
    return relayed({ ...rest, result: resultWith(complete.result, map) })
  }
  if (Array.isArray(value)) {
    const mapItem = (item: unknown): unknown =>
      brandOf(item) === undefined ? item : valueWith(item, list, map)
    return value.map(mapItem)
  }
  if (!isObject(value)) return value
  if (brand === 'content') return blocksWith([value], map)[0]
  if (brand === 'message') return messageWith(value, map)
  if (brand === 'result' || brand === 'messages') return resultWith(value, map)
  if (brand === 'contents') return partsWith(value, map)
  return brand === undefined && Array.isArray(value[list]) ? resultWith({ ...value }, map) : value
}

const partsWith = (value: JsonObject, map: MapUri): JsonObject => {
  const { parts } = value
  return Array.isArray(parts) ? { ...value, parts: parts.map((part) => contentWith(part, map)) } : value
}

import { HTTP_NETWORK, type RequestOrigin } from '../call/exchange.ts'
import type { HttpRequest } from './types.ts'

type Head = Pick<HttpRequest, 'header'>

export const headerValues = (request: Head, name: string): readonly string[] => {
  const value = request.header(name)
  return value === undefined ? [] : [value]
}

export const originOf = (request: Head): RequestOrigin => ({
  network: HTTP_NETWORK,
  headers: (name) => headerValues(request, name),
})

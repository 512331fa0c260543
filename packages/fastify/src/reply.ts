import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** Includes the charset, which Fastify would otherwise add. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** Converts Fastify's own errors to JSON-RPC replies. Errors from hooks are left to the app's error handler. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): string {
  const status = error.statusCode ?? 500
  if (status !== 413 && status !== 415 && !String(error.code).startsWith('FST_ERR_')) {
    reply.code(status >= 400 ? status : 500)
    throw error
  }
  if (status >= 500) request.log.error({ err: error }, 'Fastify refused an MCP request')
  reply.code(status)
  return problem(reply, status)
}

function problem(reply: FastifyReply, status: number): string {
  reply.header('content-type', JSON_TYPE)
  const code = status >= 500 ? -32603 : -32600
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message: STATUS_CODES[status] ?? 'Refused' } })
}

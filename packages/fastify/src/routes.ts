import type { FastifySchema } from 'fastify'

/**
 * Excludes the routes from the documents that @fastify/swagger creates, because OpenAPI cannot describe them.
 */
export const HIDDEN: FastifySchema & { readonly hide: true } = { hide: true }
/** Covers all methods, so that unsupported ones receive the endpoint's 405 rather than the app's 404. */
export const METHODS: string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

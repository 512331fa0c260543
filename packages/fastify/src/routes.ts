import type { FastifySchema } from 'fastify'

/** Excludes the routes from the documents of @fastify/swagger, because OpenAPI cannot describe them. */
export const HIDDEN: FastifySchema & { readonly hide: true } = { hide: true }
/** All methods, so that unknown ones get the endpoint's 405 and not the app's 404. */
export const METHODS: string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

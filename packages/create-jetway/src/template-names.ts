import { CreateError } from './errors.ts'

interface Template {
  /** Shown to the user when choosing a template. */
  readonly summary: string
  /**
   * Folders below `templates/`, in order. A file replaces the same file from an earlier folder, but manifests
   * are merged.
   */
  readonly layers: readonly string[]
}

export type TemplateName = 'stdio' | 'fastify' | 'hono' | 'express' | 'node' | 'workers' | 'app'

const http = (name: TemplateName, summary: string): Template => ({ summary, layers: ['base', 'http', name] })

export const TEMPLATES: Readonly<Record<TemplateName, Template>> = {
  stdio: { summary: 'a process that hosts on the same machine start', layers: ['base', 'stdio'] },
  fastify: http('fastify', 'HTTP with Fastify'),
  hono: http('hono', 'HTTP with Hono on Node.js'),
  express: http('express', 'HTTP with Express'),
  node: http('node', 'HTTP with node:http alone'),
  workers: http('workers', 'HTTP on Cloudflare Workers'),
  app: http('app', 'HTTP with Fastify, and a tool with a view'),
}

export const TEMPLATE_NAMES: readonly TemplateName[] = Object.keys(TEMPLATES) as TemplateName[]

/** @throws CreateError if the template does not exist */
export function templateNamed(name: string): TemplateName {
  const found = TEMPLATE_NAMES.find((known) => known === name)
  if (found !== undefined) return found
  throw new CreateError(`There is no template ${name}`, `Use one of ${TEMPLATE_NAMES.join(', ')}`)
}

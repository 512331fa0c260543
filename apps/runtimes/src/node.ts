import process from 'node:process'
import { serve } from '@hono/node-server'
import { createApp } from './app.ts'

// #region serve
const app = createApp({ name: 'node', version: process.versions.node })
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => console.log(`port ${port}`))
// #endregion

import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { McpServer } from '@jetway/core'
import { openApi } from '@jetway/openapi'
import { readOpenApi } from '@jetway/openapi/file'
import { operations } from './operations.ts'

const manifest = new URL('../package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

/** The address of the API and a token for it. They are described in jetway.json. */
const { API_URL = 'https://api.example.com/v1', API_TOKEN = '' } = process.env

const document = await readOpenApi(fileURLToPath(new URL('../openapi.yaml', import.meta.url)))

export const server = new McpServer({ name: '__NAME__', title: '__TITLE__', version })

server.observe(openApi(document, { baseUrl: API_URL, auth: { token: API_TOKEN }, operations }))

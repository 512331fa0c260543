import { extend, type RevisionData } from './data.ts'
import { TaskMethod } from '../methods.ts'
import { v2025_06_18 } from './v2025-06-18.ts'

/** https://modelcontextprotocol.io/specification/2025-11-25/changelog */
export const v2025_11_25: RevisionData = extend(v2025_06_18, {
  version: '2025-11-25',
  primesStreams: true,
  forms: { fields: 'full', url: true },
  elicitationIds: true,
  samplingTools: true,
  methods: Object.values(TaskMethod),
  tasks: 'experimental',
  adds: {
    implementation: ['description', 'websiteUrl', 'icons'],
    icon: ['src', 'mimeType', 'sizes', 'theme'],
    capabilities: ['tasks'],
    tool: ['icons', 'execution'],
    resource: ['icons'],
    resourceTemplate: ['icons'],
    prompt: ['icons'],
    resource_link: ['icons'],
  },
})

import { Method, Notification, TaskMethod } from '../methods.ts'
import { extend, type RevisionData } from './data.ts'
import { v2025_11_25 } from './v2025-11-25.ts'

/** https://modelcontextprotocol.io/specification/2026-07-28/changelog */
export const v2026_07_28: RevisionData = extend(v2025_11_25, {
  version: '2026-07-28',
  methods: [Method.Discover, Method.Listen],
  primesStreams: false,
  elicitationIds: false,
  tasks: 'extension',
  structured: 'any',
  drops: {
    methods: [
      Method.Initialize,
      Method.Ping,
      Method.Subscribe,
      Method.Unsubscribe,
      Method.SetLogLevel,
      ...Object.values(TaskMethod),
    ],
    notifications: [Notification.Initialized, Notification.Progress, Notification.RootsListChanged],
    serverRequests: ['ping'],
    capabilities: ['tasks'],
    tool: ['execution'],
  },
})

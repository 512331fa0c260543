export { skills, type SkillsExtension, type SkillsOptions } from './features/skills/skills.ts'
export type { Skill, SkillContent, SkillDefinition, SkillResource } from './features/skills/skill-types.ts'

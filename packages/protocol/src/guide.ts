import Type, { type Static } from 'typebox'
import { ClosedObject, OneOf } from './common.ts'
import { DEFAULT_GUIDE_LANGUAGE, GUIDE_LANGUAGES, type GuideLanguage } from './constants.ts'

const Language = Type.Optional(
  Type.Unsafe<GuideLanguage>({
    type: 'string',
    enum: Object.keys(GUIDE_LANGUAGES),
    description: `The language of the examples; \`${DEFAULT_GUIDE_LANGUAGE}\` by default`,
  }),
)

export const GuideQuery = ClosedObject({
  format: Type.Optional(OneOf('markdown', 'json')),
  language: Language,
})

/** The query of the guide that the owner of a platform reads with the hub API key. */
export const ReceiverGuideQuery = ClosedObject({ language: Language })

/** The parts of the command for a first push, except the hub API key. */
const FirstPush = Type.Object({
  hub_url: Type.String(),
  tunnel_header: Type.String(),
  record: Type.Object({}, { additionalProperties: true }),
})

/** The integration guide; `platform_name` is null for the general guide. */
export const GuideResponse = Type.Object({
  success: Type.Literal(true),
  platform_name: Type.Union([Type.String(), Type.Null()]),
  file_name: Type.String({ description: 'The file name for a download' }),
  markdown: Type.String(),
  first_push: Type.Union([FirstPush, Type.Null()], {
    description: 'An example push of the platform; null without a platform that has modules',
  }),
})

export type GuideResponse = Static<typeof GuideResponse>

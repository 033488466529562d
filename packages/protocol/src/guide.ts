import Type, { type Static } from 'typebox'
import { OneOf } from './common.ts'

export const GuideQuery = Type.Object(
  { format: Type.Optional(OneOf('markdown', 'json')) },
  { additionalProperties: false },
)

/** What the command of a first push consists of, besides the hub API key. */
export const FirstPush = Type.Object({
  hub_url: Type.String(),
  tunnel_header: Type.String(),
  record: Type.Object({}, { additionalProperties: true }),
})

/** The integration guide; `platform_name` is null where it is the one for any platform. */
export const GuideAnswer = Type.Object({
  success: Type.Literal(true),
  platform_name: Type.Union([Type.String(), Type.Null()]),
  file_name: Type.String({ description: 'What to call it as a file' }),
  markdown: Type.String(),
  first_push: Type.Union([FirstPush, Type.Null()], {
    description: 'An example push of the platform; null without a platform that has modules',
  }),
})

export type GuideAnswer = Static<typeof GuideAnswer>

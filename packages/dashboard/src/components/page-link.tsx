import { Anchor, type AnchorProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Props = AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>

function Plain(props: Props) {
  return <Anchor {...props} />
}

/** A link to a page of ours; its address is checked by the compiler. */
export const PageLink = createLink(Plain)

import { Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Props = ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

function Plain(props: Props) {
  return <Button component="a" {...props} />
}

/** A link to a page of the dashboard that looks like a button. */
export const LinkButton = createLink(Plain)

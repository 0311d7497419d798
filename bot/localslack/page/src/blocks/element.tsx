import type { ReactNode } from "react";
import { asText, type Obj } from "../types";
import { ButtonElement, FeedbackElement, IconButtonElement, OverflowElement } from "./buttons";
import { CheckboxesElement, RadioElement } from "./choices";
import { BlockImage } from "./image";
import { FileInput, TextInput, TimeInput } from "./inputs";
import { SelectElement } from "./select";

/** Any element of a section, an actions block or an input block. */
export function Element({ element }: { element: Obj }): ReactNode {
  const type = asText(element.type);
  if (/_select$/.test(type)) return <SelectElement element={element} />;
  if (/_input$/.test(type) && type !== "file_input") return <TextInput element={element} />;
  switch (type) {
    case "button":
    case "workflow_button":
      return <ButtonElement element={element} />;
    case "overflow":
      return <OverflowElement element={element} />;
    case "radio_buttons":
      return <RadioElement element={element} />;
    case "checkboxes":
      return <CheckboxesElement element={element} />;
    case "datepicker":
    case "timepicker":
    case "datetimepicker":
      return <TimeInput element={element} />;
    case "file_input":
      return <FileInput element={element} />;
    case "feedback_buttons":
      return <FeedbackElement element={element} />;
    case "icon_button":
      return <IconButtonElement element={element} />;
    case "image":
      return <BlockImage object={element} className="accessory-image" />;
    default:
      return <em className="unknown">{type} is not shown here</em>;
  }
}

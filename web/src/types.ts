/** The bodies of the API under short names. The types are generated from the description of the server. */

import type { components } from "../generated/schema";

type Schemas = components["schemas"];

export type Catalog = Schemas["Catalog"];
export type Attributes = Schemas["Attributes"];
export type FilterOption = Schemas["FilterOption"];
export type HintOption = Schemas["HintOption"];
export type NewHint = Schemas["NewHint"];
export type HintGiven = Schemas["Hint"];
export type Filter = Schemas["Filter"];
export type NewSession = Schemas["NewSession"];
export type Session = Schemas["Session"];
export type Stop = Schemas["Stop"];
export type Study = Schemas["Study"];
export type Question = Schemas["Question"];
export type Option = Schemas["Option"];
export type Fact = Schemas["Fact"];
export type OptionFact = Schemas["OptionFact"];
export type Choice = Schemas["NewAnswer"]["choice"];
export type Recommendation = Schemas["Recommendation"];
export type Recommendations = Schemas["Recommendations"];
export type Reason = Schemas["Reason"];
export type History = Schemas["History"];
export type Turn = Schemas["Turn"];
export type Contradiction = Schemas["Contradiction"];
export type Profile = Schemas["Profile"];
export type Taste = Schemas["Taste"];
export type Adjustment = Schemas["Adjustment"];
export type Change = Schemas["Change"];
export type Decision = Schemas["Alternatives"];
export type Item = Recommendation["id"];
export type Wanted = { column: string; value: string };
export type ProblemDetails = Schemas["ProblemDetails"];

// Made by "jetway schemas build"; do not edit. sha256 of all that follows: 4f501c564794458c066cf056a016bb61cb6ffe589a9e00bcedb70bf10c1890cc
// Of the server {"file":"../src/schema-folder.ts"}
export default {
  jetway: "0.0.0",
  ajv: "8.20.0",
  entries: {
    "tool:get_forecast:inputSchema": {
      digest: "337b633b38f70b0fe9dacd29b7299199e2d89ecf2149fb9572fc07a37412df09",
      library: "zod 4.6.7",
      strict: false,
      jsonSchema: {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]},
    },
    "tool:get_forecast:outputSchema": {
      digest: "df1178f7ff2177b8e142b1a3418228e17ec1d969ccf2a16b0c9e4c9e42d1553e",
      library: "zod 4.6.7",
      strict: false,
      jsonSchema: {"type":"object","properties":{"high":{"type":"number"},"low":{"type":"number"}},"required":["high","low"],"additionalProperties":false},
      pruning: "on mismatch",
      validator: (published) => {
const schema0 = published
const func0 = Object.prototype.hasOwnProperty
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate0.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.high === undefined) || (!(func0.call(data, "high")))) && (missing0 = "high")) || (((data.low === undefined) || (!(func0.call(data, "low")))) && (missing0 = "low"))){
validate0.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'",schema:schema0.required,parentSchema:schema0,data}];
return false;
}
else {
const _errs1 = errors;
for(const key0 of Object.keys(data)){
if(!((key0 === "high") || (key0 === "low"))){
validate0.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties",schema:false,parentSchema:schema0,data}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.high !== undefined && func0.call(data, "high")){
let data0 = data.high;
const _errs2 = errors;
if(!(typeof data0 == "number")){
validate0.errors = [{instancePath:instancePath+"/high",schemaPath:"#/properties/high/type",keyword:"type",params:{type: "number"},message:"must be number",schema:schema0.properties.high.type,parentSchema:schema0.properties.high,data:data0}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.low !== undefined && func0.call(data, "low")){
let data1 = data.low;
const _errs4 = errors;
if(!(typeof data1 == "number")){
validate0.errors = [{instancePath:instancePath+"/low",schemaPath:"#/properties/low/type",keyword:"type",params:{type: "number"},message:"must be number",schema:schema0.properties.low.type,parentSchema:schema0.properties.low,data:data1}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate0.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object",schema:schema0.type,parentSchema:schema0,data}];
return false;
}
}
validate0.errors = vErrors;
return errors === 0;
}

validate0.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false}
return validate0
},
    },
  },
}

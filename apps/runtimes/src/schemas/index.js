// Made by "jetway schemas build"; do not edit. sha256 of all that follows: b7e62987782621b072e0b8462ec718a930b0ad6b00e68178d28b85d2d9747df1
// Of the server {"file":"../server.ts"}
import { textLength } from '@jetway/core/schema-runtime'

export default {
  jetway: "0.0.0",
  ajv: "8.20.0",
  entries: {
    "tool:abandoned:outputSchema": {
      digest: "a69f2cfc1e276494d806887168f6e394664d5c19e28e07fa661c3ed8b6918895",
      library: "zod 4.6.7",
      strict: false,
      jsonSchema: {"type":"object","properties":{"count":{"type":"integer"}},"required":["count"],"additionalProperties":false},
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
if(((data.count === undefined) || (!(func0.call(data, "count")))) && (missing0 = "count")){
validate0.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'",schema:schema0.required,parentSchema:schema0,data}];
return false;
}
else {
const _errs1 = errors;
for(const key0 of Object.keys(data)){
if(!(key0 === "count")){
validate0.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties",schema:false,parentSchema:schema0,data}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.count !== undefined && func0.call(data, "count")){
let data0 = data.count;
if(!((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0)))){
validate0.errors = [{instancePath:instancePath+"/count",schemaPath:"#/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer",schema:schema0.properties.count.type,parentSchema:schema0.properties.count,data:data0}];
return false;
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
    "tool:count:inputSchema": {
      digest: "a1ce30f3b15de71b2606049c72efe11610491b6eff54b75983e9211643e5aac8",
      library: "zod 4.6.7",
      strict: false,
      jsonSchema: {"type":"object","properties":{"to":{"type":"integer","maximum":100},"everyMs":{"type":"integer","maximum":1000}},"required":["to","everyMs"]},
    },
    "tool:count:outputSchema": {
      digest: "c61f57056c0c875c4602582ef71779c0a76de20a71084bb9ea9d8e6f20bbbd3f",
      library: "zod 4.6.7",
      strict: false,
      jsonSchema: {"type":"object","properties":{"counted":{"type":"integer"}},"required":["counted"],"additionalProperties":false},
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
if(((data.counted === undefined) || (!(func0.call(data, "counted")))) && (missing0 = "counted")){
validate0.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'",schema:schema0.required,parentSchema:schema0,data}];
return false;
}
else {
const _errs1 = errors;
for(const key0 of Object.keys(data)){
if(!(key0 === "counted")){
validate0.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties",schema:false,parentSchema:schema0,data}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.counted !== undefined && func0.call(data, "counted")){
let data0 = data.counted;
if(!((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0)))){
validate0.errors = [{instancePath:instancePath+"/counted",schemaPath:"#/properties/counted/type",keyword:"type",params:{type: "integer"},message:"must be integer",schema:schema0.properties.counted.type,parentSchema:schema0.properties.counted,data:data0}];
return false;
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
    "tool:divide:inputSchema": {
      digest: "d8dd3f4ffd8d25ec259707122f3a3cfdbc6248935187c149de595c2c16266aa7",
      library: "zod 4.6.7",
      strict: false,
      jsonSchema: {"type":"object","properties":{"dividend":{"type":"integer"},"divisor":{"type":"integer"}},"required":["dividend","divisor"]},
    },
    "tool:divide:outputSchema": {
      digest: "646edc23b8eca1c23d838ed002a068b597133c9e468108c9565abc235f351f2f",
      library: "zod 4.6.7",
      strict: false,
      jsonSchema: {"type":"object","properties":{"quotient":{"type":"integer"}},"required":["quotient"],"additionalProperties":false},
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
if(((data.quotient === undefined) || (!(func0.call(data, "quotient")))) && (missing0 = "quotient")){
validate0.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'",schema:schema0.required,parentSchema:schema0,data}];
return false;
}
else {
const _errs1 = errors;
for(const key0 of Object.keys(data)){
if(!(key0 === "quotient")){
validate0.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties",schema:false,parentSchema:schema0,data}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.quotient !== undefined && func0.call(data, "quotient")){
let data0 = data.quotient;
if(!((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0)))){
validate0.errors = [{instancePath:instancePath+"/quotient",schemaPath:"#/properties/quotient/type",keyword:"type",params:{type: "integer"},message:"must be integer",schema:schema0.properties.quotient.type,parentSchema:schema0.properties.quotient,data:data0}];
return false;
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
    "tool:where:outputSchema": {
      digest: "ae7c057ae33570e3075d8c7a8b11157e8e181ace3db256ba25b452796c365533",
      library: "zod 4.6.7",
      strict: false,
      jsonSchema: {"type":"object","properties":{"name":{"type":"string","minLength":1},"version":{"type":"string","pattern":"^\\d+\\."}},"required":["name","version"],"additionalProperties":false},
      pruning: "on mismatch",
      validator: (published) => {
const schema0 = published
const func0 = Object.prototype.hasOwnProperty
const func3 = textLength
const pattern0 = new RegExp("^\\d+\\.", "u")
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
if((((data.name === undefined) || (!(func0.call(data, "name")))) && (missing0 = "name")) || (((data.version === undefined) || (!(func0.call(data, "version")))) && (missing0 = "version"))){
validate0.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'",schema:schema0.required,parentSchema:schema0,data}];
return false;
}
else {
const _errs1 = errors;
for(const key0 of Object.keys(data)){
if(!((key0 === "name") || (key0 === "version"))){
validate0.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties",schema:false,parentSchema:schema0,data}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.name !== undefined && func0.call(data, "name")){
let data0 = data.name;
const _errs2 = errors;
if(errors === _errs2){
if(typeof data0 === "string"){
if(func3(data0) < 1){
validate0.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters",schema:1,parentSchema:schema0.properties.name,data:data0}];
return false;
}
}
else {
validate0.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema0.properties.name.type,parentSchema:schema0.properties.name,data:data0}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.version !== undefined && func0.call(data, "version")){
let data1 = data.version;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern0.test(data1)){
validate0.errors = [{instancePath:instancePath+"/version",schemaPath:"#/properties/version/pattern",keyword:"pattern",params:{pattern: "^\\d+\\."},message:"must match pattern \""+"^\\d+\\."+"\"",schema:"^\\d+\\.",parentSchema:schema0.properties.version,data:data1}];
return false;
}
}
else {
validate0.errors = [{instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type: "string"},message:"must be string",schema:schema0.properties.version.type,parentSchema:schema0.properties.version,data:data1}];
return false;
}
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
    "tool:write_note:inputSchema": {
      digest: "d7c83a97d93c0dabd6c4d3aa2e83689b787985be40eb537693d3b7ad75365a8e",
      library: "zod 4.6.7",
      strict: false,
      jsonSchema: {"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},
    },
  },
}
